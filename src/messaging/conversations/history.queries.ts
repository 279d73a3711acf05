import { statement } from '../../kernel/database/statement.js';
import { messageWire, sqlTs } from '../wire/message-wire.queries.js';

/* Hand-written: the hottest reads: pages of stored wire text, passed through unparsed. */

/** One page as wire text: `messages` joined by commas, and the ts of the first message that did not fit. */
export interface PageRow {
  wire: string;
  next_ts: string | null;
}

/**
 * Parameters: conversation, lower bound, upper bound (both exclusive), limit, viewer ids, with metadata. Hand-written: the page is
 * put together where the messages are. Their order comes from the index, so that nothing numbers or sorts them, and what lies
 * behind the page is looked up by itself. The limit is a select, as the planner would look into a parameter there and make
 * a new plan for every call.
 */
function page(direction: 'ASC' | 'DESC', order: 'ASC' | 'DESC', condition: string): string {
  const [last, behind] =
    direction === 'ASC'
      ? ['max', 'm.ts > coalesce(page.last, $2) AND m.ts < $3']
      : ['min', 'm.ts > $2 AND m.ts < coalesce(page.last, $3)'];
  const turned = direction === order ? '' : ` ORDER BY ts ${order}`;
  return `SELECT coalesce(page.wire, '') AS wire, (
       SELECT m.ts::text FROM messages m WHERE m.conversation_id = $1 AND ${behind} AND ${condition}
        ORDER BY m.ts ${direction} LIMIT 1) AS next_ts
     FROM (
       SELECT string_agg(wire, ','${turned}) AS wire, ${last}(ts) AS last
       FROM (
         SELECT m.ts, ${messageWire('m', '$5::text[]', '$6::boolean')} AS wire
         FROM messages m
         WHERE m.conversation_id = $1 AND m.ts > $2 AND m.ts < $3 AND ${condition}
         ORDER BY m.ts ${direction} LIMIT (SELECT $4::int)) found) page`;
}

const TEXTS = { answersTexts: true };
const OF_CHANNEL = '(m.thread_ts IS NULL OR m.is_broadcast)';

/** Newest first, walking into the past. */
export const HISTORY_BACKWARD = statement('chat_history_backward', page('DESC', 'DESC', OF_CHANNEL), TEXTS);

/** The messages closest to the lower bound, still newest first, walking towards now. */
export const HISTORY_FORWARD = statement('chat_history_forward', page('ASC', 'DESC', OF_CHANNEL), TEXTS);

const READ_BY_VIEWER = `'"last_read":"' || ${sqlTs('own.newest')} || '","unread_count":' || CASE WHEN $8::boolean THEN 0 ELSE (
  SELECT count(*) FROM messages r
  WHERE r.conversation_id = m.conversation_id AND r.thread_ts = m.ts AND r.ts > own.newest) END`;

/** A page of replies with their parent. */
export interface RepliesRow extends PageRow {
  parent: string;
  /** A reply itself, or without any. */
  is_alone: 'true' | 'false';
  subtype: string | null;
}

/**
 * The message $7 and a page of its replies, oldest first; no row without the message. One statement, so that its counters
 * agree with the replies, whatever is posted, deleted or reset meanwhile. A parent counts as read up to the viewer's own
 * newest reply; $8: the viewer is a bot, which has no unread messages.
 */
export const REPLIES = statement(
  'chat_replies',
  `SELECT parent.*, replies.*
   FROM (
     SELECT (m.thread_ts IS NOT NULL OR m.reply_count = 0)::text AS is_alone, m.subtype,
            ${messageWire('m', '$5::text[]', '$6::boolean', READ_BY_VIEWER)} AS parent
     FROM messages m CROSS JOIN LATERAL (
       SELECT coalesce(max(r.ts), m.ts) AS newest FROM messages r
       WHERE r.conversation_id = m.conversation_id AND r.thread_ts = m.ts
         AND (r.user_id = ANY($5::text[]) OR r.bot_id = ANY($5::text[]))) own
     WHERE m.conversation_id = $1 AND m.ts = $7) parent
   CROSS JOIN (${page('ASC', 'ASC', 'm.thread_ts = $7')}) replies`,
  TEXTS,
);
