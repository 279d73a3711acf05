import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { statement } from '../../kernel/database/statement.js';
import { HISTORY_SCOPES } from '../events/chat-events.js';
import { sqlScopeByType } from '../events/define-chat-event.js';
import { planDeliveries, QUEUED_FOR } from '../events/delivery-plan.js';
import { messageWire, sqlTs } from '../wire/message-wire.js';

/** `channel_type` of the part `msg`'s conversation. */
export const CHANNEL_TYPE = `CASE msg.type WHEN 'public' THEN 'channel' WHEN 'private' THEN 'group' ELSE msg.type END`;

/** Behind a message of the part `msg` (conversation_id, type, ts, metadata), what its event says more. */
export const EVENT_TAIL = `',"channel":"' || msg.conversation_id || '","channel_type":"'
  || ${CHANNEL_TYPE} || '","event_ts":"' || ${sqlTs('msg.ts')} || '"'
  || coalesce(',"metadata":' || msg.metadata, '') || '}'`;

/**
 * The post of a whole batch: conversations locked in id order (no deadlocks), one ts each from the conversation's
 * counter, message, event and deliveries in the same statement. A caller who may not post is a row without ts.
 *
 * What waited for a lock has the row's newest version, but sees other tables as of before the wait: who was kicked just
 * now would still get through, and hear of it. So the conversation counts changes of its members, and a post of one
 * whose count moved under the wait is not stored.
 */
export const POST_BATCH = statement(
  'chat_post_batch',
  `WITH req AS MATERIALIZED (
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::bigint[], $11::text[], $12::bigint[])
       WITH ORDINALITY AS r (conversation_id, member_id, user_id, bot_id, subtype, text, wire, metadata, tenant_id, clock, cause, shift, n)),
   seen AS MATERIALIZED (
     SELECT id, members_version FROM conversations WHERE id IN (SELECT conversation_id FROM req)),
   locked AS MATERIALIZED (
     SELECT id, workspace_id, type, is_archived, members_version FROM conversations
     WHERE id IN (SELECT conversation_id FROM req) ORDER BY id FOR NO KEY UPDATE),
   ok AS MATERIALIZED (
     SELECT r.*, l.workspace_id, l.type, row_number() OVER (PARTITION BY r.conversation_id ORDER BY r.n) AS k
     FROM req r JOIN locked l ON l.id = r.conversation_id
     JOIN seen ON seen.id = l.id AND seen.members_version = l.members_version
     LEFT JOIN members m ON m.conversation_id = r.conversation_id AND m.user_id = r.member_id
     WHERE NOT l.is_archived AND (r.member_id IS NULL OR m.user_id IS NOT NULL)),
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
   told AS (
     INSERT INTO events (tenant_id, product, kind, room, data, cause, clock)
     SELECT tenant_id, 'chat', 'message', 'conversation:' || conversation_id,
            wire || ',"ts":"' || ${sqlTs('ts')} || '"' || ${EVENT_TAIL}, cause, shift FROM msg ORDER BY n
     RETURNING id, tenant_id, room),
   planned AS (${planDeliveries(`(
     SELECT told.id AS event_id, told.tenant_id, 'message' AS kind, l.id AS conversation_id, l.type,
            ${sqlScopeByType(HISTORY_SCOPES, 'l.type')} AS scope, 'members' AS audience,
            ARRAY[l.id] AS conversation_ids, NULL::text AS subject_id, NULL::text AS app_id
     FROM told JOIN locked l ON 'conversation:' || l.id = told.room) e`)} RETURNING target_id)
   SELECT r.n, msg.ts, l.id IS NULL AS gone, coalesce(l.is_archived, false) AS archived,
          coalesce(l.members_version <> seen.members_version, false) AS outdated,
          CASE WHEN r.n = 1 THEN ARRAY(${QUEUED_FOR}) END AS queued
   FROM req r LEFT JOIN locked l ON l.id = r.conversation_id LEFT JOIN seen ON seen.id = l.id LEFT JOIN msg ON msg.n = r.n`,
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

/** Stores a reply, counts it on its parent and answers the parent as it is told, all while a channel's posts wait. */
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
   calmed AS (
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
     (SELECT u.app_id FROM calmed JOIN users u ON u.workspace_id = $12::text AND u.bot_id = calmed.bot_id LIMIT 1) AS calmed`,
);

export const MESSAGE_TOLD = statement(
  'chat_message_told',
  `SELECT ${messageWire('m', 'NULL::text[]', 'true')} AS wire FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2`,
);

export const MESSAGE_SEEN = statement(
  'chat_message_seen',
  `SELECT ${messageWire('m', '$3::text[]')} AS wire FROM messages m WHERE m.conversation_id = $1 AND m.ts = $2`,
);
