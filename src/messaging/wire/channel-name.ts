import type { ErrorCode } from './codes.js';
import { isBlank, isLongerThan } from './text.js';

/** Longest channel name, in code points. */
export const MAX_CHANNEL_NAME = 80;

const ALLOWED = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{Nd}_-]+$/u;
/** Words that mean more than a name after `@` and `#`. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['here', 'channel', 'everyone', 'group', 'me']);

/**
 * The trimmed name, or the first code that applies, in the order of conversations.create
 * (docs/reference/chat.md#channel-names). Names are never lower-cased or otherwise made to fit.
 */
export function checkChannelName(sent: string): { name: string } | { error: ErrorCode } {
  const name = sent.trim();
  if (isBlank(name)) return { error: 'invalid_name_required' };
  if (isLongerThan(name, MAX_CHANNEL_NAME)) return { error: 'invalid_name_maxlength' };
  if (!ALLOWED.test(name)) return { error: 'invalid_name_specials' };
  if (/^[_-]+$/.test(name)) return { error: 'invalid_name_punctuation' };
  if (RESERVED_NAMES.has(name)) return { error: 'invalid_name' };
  return { name };
}
