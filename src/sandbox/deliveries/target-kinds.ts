import { redactText } from '../timeline/redaction.js';

const KINDS: Readonly<Record<string, string>> = {
  'chat.events': 'event_subscription',
  'chat.outgoing': 'outgoing_webhook',
  'chat.sockets': 'socket',
  'chat.commands': 'command',
  'chat.interactions': 'interaction',
  tracker: 'tracker_webhook',
};

export const TARGET_KINDS: readonly string[] = Object.values(KINDS);

/** The name that tests use for a target, by its dialect. */
export const kindOf = (product: string): string => KINDS[product] ?? 'event_subscription';

/** A target's address, without secrets; null if it is not a URL. */
export function urlOf(loaded: unknown): string | null {
  const { url } = (loaded ?? {}) as { url?: unknown };
  return typeof url === 'string' && url !== '' ? redactText(url) : null;
}
