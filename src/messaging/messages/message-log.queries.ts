import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { batchStatement } from '../../kernel/database/batch-statement.js';
import { statement } from '../../kernel/database/statement.js';
import { MESSAGE_RULE } from '../events/chat-events.js';
import { sqlHearingColumns } from '../events/define-chat-event.js';
import { QUEUED_OF_BATCH, recordEvents } from '../events/delivery-plan.queries.js';
import { sqlIsClosed } from '../access/conversation-access.queries.js';
import { messageWire, sqlTs } from '../wire/message-wire.queries.js';

/* Hand-written: posts of a whole batch, with their events and deliveries, in one statement. */

/** `channel_type` of the part `msg`'s conversation. */
export const CHANNEL_TYPE = `CASE msg.type WHEN 'public' THEN 'channel' WHEN 'private' THEN 'group' ELSE msg.type END`;

/** Behind a message of the part `msg` (conversation_id, type, ts, metadata), what its event says more. */
export const EVENT_TAIL = `',"channel":"' || msg.conversation_id || '","channel_type":"'
  || ${CHANNEL_TYPE} || '","event_ts":"' || ${sqlTs('msg.ts')} || '"'
  || coalesce(',"metadata":' || msg.metadata, '') || '}'`;

/** Whether the conversation of the part `l` is a direct message that somebody closed, which a post opens again. */
export const HAS_CLOSED = `l.type IN ('im', 'mpim') AND EXISTS (
  SELECT FROM members closed WHERE closed.conversation_id = l.id AND closed.closed_at IS NOT NULL)`;

/**
 * The post of a whole batch: conversations locked in id order (no deadlocks), one ts each from the conversation's
 * counter, message, event and deliveries in the same statement.
 *
 * What waited for a lock has the row's newest version, but sees other tables as of before the wait: who was kicked just
 * now would still get through, and hear of it. So the conversation counts changes of its members, and a post of one
 * whose count moved under the wait is not stored.
 *
 * Refused beside that: `own_transaction`, where the post opens a direct message again, which its members are told of.
 */
export const POST_BATCH = batchStatement(
  'chat_post_batch',
  {
    conversation_id: 'text',
    member_id: 'text',
    user_id: 'text',
    bot_id: 'text',
    subtype: 'text',
    text: 'text',
    wire: 'text',
    metadata: 'text',
  },
  (req) => `WITH ${req},
   seen AS MATERIALIZED (
     SELECT id, members_version FROM conversations WHERE id IN (SELECT conversation_id FROM req)),
   locked AS MATERIALIZED (
     SELECT id, workspace_id, type, is_archived, members_version FROM conversations
     WHERE id IN (SELECT conversation_id FROM req) ORDER BY id FOR NO KEY UPDATE),
   judged AS MATERIALIZED (
     SELECT r.*, l.workspace_id, l.type,
       CASE WHEN l.id IS NULL THEN 'channel_not_found'
         WHEN l.members_version <> s.members_version THEN 'again'
         WHEN l.is_archived THEN 'is_archived'
         WHEN r.member_id IS NOT NULL AND b.user_id IS NULL THEN 'not_in_channel'
         WHEN ${HAS_CLOSED} THEN 'own_transaction'
         ELSE 'done' END AS outcome
     FROM req r LEFT JOIN locked l ON l.id = r.conversation_id LEFT JOIN seen s ON s.id = l.id
     LEFT JOIN members b ON b.conversation_id = r.conversation_id AND b.user_id = r.member_id),
   ok AS MATERIALIZED (
     SELECT j.*, row_number() OVER (PARTITION BY conversation_id ORDER BY n) AS k FROM judged j WHERE outcome = 'done'),
   counted AS MATERIALIZED (SELECT conversation_id, count(*) AS posts, min(clock) AS clock FROM ok GROUP BY 1),
   moved AS MATERIALIZED (
     UPDATE conversations c SET last_ts = greatest(${sqlNowMicros('counted.clock')}, c.last_ts + 1) + counted.posts - 1
     FROM counted WHERE c.id = counted.conversation_id
     RETURNING c.id, c.last_ts - counted.posts AS base),
   msg AS MATERIALIZED (SELECT ok.*, moved.base + ok.k AS ts FROM ok JOIN moved ON moved.id = ok.conversation_id),
   stored AS (
     INSERT INTO messages (conversation_id, ts, user_id, bot_id, subtype, text, wire, metadata)
     SELECT conversation_id, ts, user_id, bot_id, subtype, text, wire || ',"ts":"' || ${sqlTs('ts')} || '"}', metadata FROM msg),
   indexed AS (
     INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
     SELECT conversation_id, ts, workspace_id, coalesce(user_id, bot_id, ''), lower(text) FROM msg),
   new_events AS (
     SELECT n, tenant_id, 'message' AS kind, 'conversation:' || conversation_id AS room,
            wire || ',"ts":"' || ${sqlTs('ts')} || '"' || ${EVENT_TAIL} AS data, cause, shift, conversation_id, type,
            ${sqlHearingColumns(MESSAGE_RULE, 'type')}, NULL::text AS subject_id FROM msg),
   ${recordEvents('new_events')}
   SELECT r.n, r.outcome, msg.ts, ${QUEUED_OF_BATCH} FROM judged r LEFT JOIN msg ON msg.n = r.n`,
  { keepsCallers: true },
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

export const INSERT_MESSAGE = statement(
  'chat_insert_message',
  `INSERT INTO messages (conversation_id, ts, user_id, bot_id, subtype, text, wire, metadata)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

export const INSERT_POST = statement(
  'chat_insert_post',
  `WITH stored AS (
     INSERT INTO messages (conversation_id, ts, user_id, bot_id, subtype, text, wire, metadata)
     VALUES ($1, $2::bigint, $3, $4, $5, $6, $7, $8))
   INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
   VALUES ($1, $2::bigint, $9, $10, lower($6::text))`,
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

/** Stores a reply, counts it on its parent and answers the parent as events show it, under the conversation's lock. */
export const INSERT_REPLY = statement(
  'chat_insert_reply',
  `WITH stored AS (
     INSERT INTO messages (conversation_id, ts, thread_ts, is_broadcast, user_id, bot_id, subtype, text, wire, metadata)
     VALUES ($1, $2::bigint, $3::bigint, $4, $5, $6, $7, $8, $9, $10)),
   indexed AS (
     INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
     VALUES ($1, $2::bigint, $12::text, $11::text, lower($8::text))),
   threaded AS (
     INSERT INTO message_facets (conversation_id, ts, facet, workspace_id) VALUES ($1, $2::bigint, 'thread', $12::text)),
   ended_status AS (
     UPDATE assistant_threads SET status = '', loading_messages = '[]'
     WHERE conversation_id = $1 AND thread_ts = $3::bigint AND bot_id = $6 AND status <> '' RETURNING bot_id),
   counted AS (
     INSERT INTO thread_repliers (conversation_id, thread_ts, replier, replies, first_ts)
     VALUES ($1, $3::bigint, $11::text, 1, $2::bigint)
     ON CONFLICT (conversation_id, thread_ts, replier) DO UPDATE SET replies = thread_repliers.replies + 1
     RETURNING replies = 1 AS is_new)
   UPDATE messages m SET reply_count = m.reply_count + 1, latest_reply = $2::bigint,
     reply_users_count = m.reply_users_count + CASE WHEN is_new THEN 1 ELSE 0 END,
     reply_users = CASE WHEN is_new AND cardinality(m.reply_users) < 5 THEN m.reply_users || $11::text ELSE m.reply_users END
   FROM counted WHERE m.conversation_id = $1 AND m.ts = $3::bigint
   RETURNING ${messageWire('m', 'NULL::text[]', 'true')} AS parent,
     (SELECT u.app_id FROM ended_status JOIN users u ON u.workspace_id = $12::text AND u.bot_id = ended_status.bot_id LIMIT 1) AS ended_status`,
);

export const MESSAGE_FOR_EVENTS = statement(
  'chat_message_for_events',
  `SELECT ${messageWire('m', 'NULL::text[]', 'true')} AS wire FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2`,
);

export const MESSAGE_FOR_VIEWER = statement(
  'chat_message_for_viewer',
  `SELECT ${messageWire('m', '$3::text[]')} AS wire FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2`,
);
