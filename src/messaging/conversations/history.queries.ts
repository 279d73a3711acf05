import { statement, type Statement } from '../../kernel/database/statement.js';
import { messageWire } from '../model/message-wire.js';

/** One page as wire text: `messages` joined by commas, and the ts of the first message that did not fit. */
export interface PageRow {
  wire: string;
  next_ts: number | null;
}

/** Parameters: conversation, lower bound, upper bound (both exclusive), limit, viewer ids, with metadata. */
const page = (name: string, direction: 'ASC' | 'DESC', order: 'ASC' | 'DESC', condition: string): Statement =>
  statement(
    name,
    `SELECT coalesce(string_agg(wire, ',' ORDER BY ts ${order}) FILTER (WHERE place <= $4), '') AS wire,
            max(ts) FILTER (WHERE place > $4) AS next_ts
     FROM (
       SELECT m.ts, row_number() OVER (ORDER BY m.ts ${direction}) AS place, ${messageWire('m', '$5::text[]', '$6::boolean')} AS wire
       FROM messages m
       WHERE m.conversation_id = $1 AND m.ts > $2 AND m.ts < $3 AND ${condition}
       ORDER BY m.ts ${direction} LIMIT $4::int + 1) page`,
  );

/** Newest first, walking into the past. */
export const HISTORY_BACKWARD = page(
  'chat_history_backward',
  'DESC',
  'DESC',
  '(m.thread_ts IS NULL OR m.is_broadcast)',
);

/** The messages closest to the lower bound, still newest first, walking towards now. */
export const HISTORY_FORWARD = page('chat_history_forward', 'ASC', 'DESC', '(m.thread_ts IS NULL OR m.is_broadcast)');

/** Replies of the parent $7, oldest first. */
export const REPLIES = page('chat_replies', 'ASC', 'ASC', 'm.thread_ts = $7');

/** One message as wire text; `thread_ts` tells a reply. */
export const ONE_MESSAGE = statement(
  'chat_one_message',
  `SELECT m.thread_ts, m.reply_count, ${messageWire('m', '$3::text[]', '$4::boolean')} AS wire
   FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2`,
);
