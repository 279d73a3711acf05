import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { statement } from '../../kernel/database/statement.js';
import { sqlIsClosed } from '../access/conversation-access.queries.js';
import { messageWire } from '../wire/message-wire.queries.js';

/* Hand-written: what storing a message does, alike for one in a transaction and for a batch. */

/** Parts of a statement that store posts with what finds them: the part `msg` has their columns and their `workspace_id`. */
export const STORED_POSTS = `
   stored AS (
     INSERT INTO messages (conversation_id, ts, user_id, bot_id, subtype, text, wire, metadata)
     SELECT conversation_id, ts, user_id, bot_id, subtype, text, wire, metadata FROM msg),
   indexed AS (
     INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
     SELECT conversation_id, ts, workspace_id, coalesce(user_id, bot_id, ''), lower(text) FROM msg)`;

/** A post under the lock of its conversation. Parameters: the columns of the message, its workspace. */
export const INSERT_POST = statement(
  'chat_insert_post',
  `WITH msg AS (
     SELECT $1::text AS conversation_id, $2::bigint AS ts, $3::text AS user_id, $4::text AS bot_id, $5::text AS subtype,
            $6::text AS text, $7::text AS wire, $8::text AS metadata, $9::text AS workspace_id),
   ${STORED_POSTS}
   SELECT FROM msg`,
);

/** Opens a direct message for those who closed it; answers for whom it was closed still. Parameters: conversation. */
export const REOPEN_ALL = statement(
  'chat_reopen_all',
  `WITH was AS (SELECT m.user_id, ${sqlIsClosed('c', 'm')} AS closed FROM members m JOIN conversations c ON c.id = m.conversation_id
     WHERE m.conversation_id = $1 AND m.closed_at IS NOT NULL),
   opened AS (UPDATE members SET closed_at = NULL FROM was WHERE conversation_id = $1 AND members.user_id = was.user_id)
   SELECT user_id FROM was WHERE closed ORDER BY user_id`,
);

export const NEXT_TS = statement(
  'chat_next_ts',
  `UPDATE conversations SET last_ts = greatest(${sqlNowMicros('$2')}, last_ts + 1) + $3::bigint - 1 WHERE id = $1 RETURNING last_ts`,
);

export const HOLD = statement(
  'chat_hold_conversation',
  `SELECT is_archived FROM conversations WHERE id = $1 FOR NO KEY UPDATE`,
);

export const INSERT_MESSAGES = statement(
  'chat_insert_messages',
  `INSERT INTO messages (conversation_id, ts, user_id, bot_id, subtype, text, wire, metadata)
   SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])`,
);

export const LOCK_PARENT = statement(
  'chat_lock_parent',
  `SELECT ts, thread_ts, subtype, user_id, reply_users FROM messages WHERE conversation_id = $1 AND ts = $2 FOR NO KEY UPDATE`,
);

export const MESSAGE_FOR_EVENTS = statement(
  'chat_message_for_events',
  `SELECT ${messageWire('m', 'NULL::text[]', 'true')} AS wire FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2`,
);

export const MESSAGE_FOR_VIEWER = statement(
  'chat_message_for_viewer',
  `SELECT ${messageWire('m', '$3::text[]')} AS wire FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2`,
);
