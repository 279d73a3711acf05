import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { statement } from '../../kernel/database/statement.js';
import { sqlIsClosed } from '../access/conversation-access.queries.js';
import { messageWire } from '../wire/message-wire.queries.js';

/* Hand-written: what storing a message does inside a transaction. */

/** Opens a direct message for those who closed it; answers for whom it was closed before a message. Parameters: conversation, the message's ts. */
export const REOPEN_ALL = statement(
  'chat_reopen_all',
  `WITH was AS (SELECT m.user_id, ${sqlIsClosed('c', 'm', '$2')} AS closed FROM members m JOIN conversations c ON c.id = m.conversation_id
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
