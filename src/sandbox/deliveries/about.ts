import { redactText } from '../timeline/redaction.js';
import { aboutOf, contentOfSent, fieldsOf, sentFields } from '../timeline/shape.js';
import type { ListedDelivery } from './deliveries.queries.js';

/** The characters of a text that a list shows. */
const TEXT_LENGTH = 200;

/**
 * What a delivery is about: the channel, the person and the text of its event; of a command or an interaction what was
 * sent tells.
 */
export function aboutDelivery({ attempts, data }: Pick<ListedDelivery, 'attempts' | 'data'>): {
  channel: string | null;
  user: string | null;
  text: string | null;
} {
  const sent = data === null ? sentFields(attempts[0]?.request?.body) : fieldsOf(JSON.parse(data));
  const { channel, user } = aboutOf({ data: sent });
  return {
    channel: channel ?? idOf(sent['channel_id']),
    user: user ?? idOf(sent['user_id']),
    text: redactText(contentOfSent(sent).slice(0, TEXT_LENGTH)) || null,
  };
}

const idOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
