import { redactText } from '../timeline/redaction.js';

const KINDS: Readonly<Record<string, string>> = {
  'chat.events': 'event_subscription',
  'chat.outgoing': 'outgoing_webhook',
  'chat.sockets': 'socket',
  'chat.commands': 'command',
  'chat.interactions': 'interaction',
  tracker: 'tracker_webhook',
};

/** What a target is called to tests, by the dialect that it speaks. */
export const kindOf = (product: string): string => KINDS[product] ?? 'event_subscription';

/** Where a target is reached, without secrets; null where that is no URL. */
export function urlOf(loaded: unknown): string | null {
  const { url } = (loaded ?? {}) as { url?: unknown };
  return typeof url === 'string' && url !== '' ? redactText(url) : null;
}
