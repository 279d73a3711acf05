import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { batchStatement } from '../../kernel/database/batch-statement.js';
import { statement } from '../../kernel/database/statement.js';
import { MESSAGE_RULE } from '../events/chat-events.js';
import { sqlHearingColumns } from '../events/define-chat-event.js';
import { QUEUED_OF_BATCH, recordEvents } from '../events/delivery-plan.queries.js';
import { CHANNEL_TYPE } from '../store/message-log.queries.js';
import { SYSTEM_SUBTYPES, TOMBSTONE } from '../store/message.entity.js';
import { TOMBSTONE_TEXT, TOMBSTONE_USER, tombstoneWire } from '../wire/message-wire.js';
import { messageWire, sqlTs } from '../wire/message-wire.queries.js';

/* Hand-written: updates and deletes of a whole batch, with their events and deliveries, in one statement. */

/** Messages before their revision; `version` changes with what an author can change. Parameters: conversations, ts. */
export const REVISED_MESSAGES = statement(
  'chat_revised_messages',
  `SELECT r.n, m.user_id AS "userId", m.bot_id AS "botId", m.subtype, m.is_broadcast AS "isBroadcast", m.wire, md5(m.wire) AS version
   FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS r (conversation_id, ts, n)
   JOIN messages m ON m.conversation_id = r.conversation_id AND m.ts = r.ts`,
);

/**
 * Conversations are locked in the order of their ids, then messages in theirs, like posts, replies and reactions.
 * @param more SQL for (conversation_id, ts) of further messages to lock, besides those of the batch's rows
 */
const locked = (more = ''): string => `
   seen AS MATERIALIZED (
     SELECT id, members_version FROM conversations WHERE id IN (SELECT conversation_id FROM req)),
   locked AS MATERIALIZED (
     SELECT id, workspace_id, type, is_archived, members_version FROM conversations
     WHERE id IN (SELECT conversation_id FROM req) ORDER BY id FOR NO KEY UPDATE),
   found AS MATERIALIZED (
     SELECT m.*, m.xmin AS version FROM messages m
     WHERE (m.conversation_id, m.ts) IN (SELECT r.conversation_id, r.ts FROM req r JOIN locked l ON l.id = r.conversation_id ${more})
     ORDER BY m.conversation_id, m.ts FOR UPDATE)`;

/** Why a row is refused before its message is examined. */
const REFUSALS = `
   WHEN l.id IS NULL THEN 'channel_not_found'
   WHEN l.members_version <> s.members_version THEN 'again'
   WHEN l.type <> 'public' AND b.user_id IS NULL THEN 'channel_not_found'`;

/** Whether an earlier row of the batch is for the same, as SQL: only that one is judged. */
const isLater = (same: string): string =>
  `row_number() OVER (PARTITION BY r.conversation_id, ${same} ORDER BY r.n) > 1`;

const JUDGED_FROM = `
   FROM req r
   LEFT JOIN locked l ON l.id = r.conversation_id LEFT JOIN seen s ON s.id = l.id
   LEFT JOIN members b ON b.conversation_id = r.conversation_id AND b.user_id = r.user_id
   LEFT JOIN found m ON m.conversation_id = r.conversation_id AND m.ts = r.ts`;

/**
 * A ts from the conversation's counter for each row that is done: its notice names no stored message.
 * @param pins SQL for how many pins go with the `ok` of a conversation
 */
const numbered = (pins = ''): string => `
   ok AS MATERIALIZED (
     SELECT j.*, row_number() OVER (PARTITION BY conversation_id ORDER BY n) AS k FROM judged j WHERE outcome = 'done'),
   moved AS MATERIALIZED (
     UPDATE conversations c SET last_ts = greatest(${sqlNowMicros('counted.clock')}, c.last_ts + 1) + counted.notices - 1${pins && ', pin_count = c.pin_count - counted.pins'}
     FROM (SELECT conversation_id, count(*) AS notices, min(clock) AS clock${pins && `, ${pins} AS pins`} FROM ok GROUP BY 1) counted
     WHERE c.id = counted.conversation_id
     RETURNING c.id, c.last_ts - counted.notices AS base)`;

/**
 * @param subtype SQL for the notice's subtype
 * @param more SQL for its members beyond the common ones
 */
const eventParts = (subtype: string, more: string): string => `
   new_events AS (
     SELECT msg.n, msg.tenant_id, 'message' AS kind, 'conversation:' || msg.conversation_id AS room,
            '{"type":"message","subtype":"' || ${subtype} || '","hidden":true,"channel":"' || msg.conversation_id || '","channel_type":"'
              || ${CHANNEL_TYPE} || '","ts":"' || ${sqlTs('msg.notice_ts')} || '","event_ts":"' || ${sqlTs('msg.notice_ts')} || '"'
              || ${more} || '}' AS data,
            msg.cause, msg.shift, msg.conversation_id, msg.type, ${sqlHearingColumns(MESSAGE_RULE, 'msg.type')},
            NULL::text AS subject_id
     FROM msg),
   ${recordEvents('new_events')}`;

/**
 * New content of messages. Refused besides the caller's refusals: `changed`, when the message is not as it was when its
 * new content was computed.
 */
export const UPDATE_BATCH = batchStatement(
  'chat_update_batch',
  {
    conversation_id: 'text',
    ts: 'bigint',
    user_id: 'text',
    bot_id: 'text',
    version: 'text',
    text: 'text',
    wire: 'text',
    metadata: 'text',
    keeps_metadata: 'boolean',
  },
  (req) => `WITH ${req}, ${locked()},
   judged AS MATERIALIZED (
     SELECT r.*, l.type, CASE ${REFUSALS}
         WHEN l.is_archived THEN 'is_inactive'
         WHEN m.ts IS NULL THEN 'message_not_found'
         WHEN ${isLater('r.ts')} OR md5(m.wire) <> r.version THEN 'changed'
         ELSE 'done' END AS outcome
     ${JUDGED_FROM}),
   ${numbered()},
   msg AS MATERIALIZED (
     SELECT ok.n, ok.tenant_id, ok.cause, ok.shift, ok.type, ok.text, ok.user_id AS viewer_id, ok.bot_id AS viewer_bot_id, moved.base + ok.k AS notice_ts,
            ${messageWire('m', 'NULL::text[]', 'true')} AS previous,
            m.conversation_id, m.ts, m.thread_ts, m.is_broadcast, m.user_id, m.reply_count, m.reply_users, m.reply_users_count, m.latest_reply,
            m.reactions, m.pinned, ok.wire, CASE WHEN ok.keeps_metadata THEN m.metadata ELSE ok.metadata END AS metadata
     FROM ok JOIN moved ON moved.id = ok.conversation_id JOIN found m ON m.conversation_id = ok.conversation_id AND m.ts = ok.ts),
   stored AS (
     UPDATE messages m SET text = msg.text, wire = msg.wire, metadata = msg.metadata
     FROM msg WHERE m.conversation_id = msg.conversation_id AND m.ts = msg.ts),
   ${eventParts("'message_changed'", `',"message":' || ${messageWire('msg', 'NULL::text[]', 'true')} || ',"previous_message":' || msg.previous`)}
   SELECT r.n, r.outcome, ${messageWire('msg', 'ARRAY[msg.viewer_id, msg.viewer_bot_id]')} AS message, ${QUEUED_OF_BATCH}
   FROM judged r LEFT JOIN msg ON msg.n = r.n`,
);

const SYSTEM = [...SYSTEM_SUBTYPES].map((subtype) => `'${subtype}'`).join(', ');

const DELETE_COLUMNS = {
  conversation_id: 'text',
  ts: 'bigint',
  user_id: 'text',
  bot_id: 'text',
  may_all: 'boolean',
} as const;

/**
 * A bot owns what its app's bot wrote, under whatever name; people what they wrote themselves. A broadcast, which shows
 * its parent, is left to a transaction (`own_transaction`).
 */
const DELETE_REFUSALS = `
   WHEN m.ts IS NULL OR m.subtype = '${TOMBSTONE}' THEN 'message_not_found'
   WHEN m.subtype IN (${SYSTEM}) OR NOT (r.may_all OR CASE WHEN r.bot_id IS NULL
       THEN m.bot_id IS NULL AND m.user_id = r.user_id ELSE m.bot_id = r.bot_id END) IS TRUE THEN 'cant_delete_message'
   WHEN m.is_broadcast THEN 'own_transaction'`;

const DELETED_NOTICE = `',"deleted_ts":"' || ${sqlTs('msg.ts')} || '","previous_message":' || msg.previous`;

/** Messages deleted that nothing is connected with: `connected` are those with replies, replies, and what is pinned. */
export const DELETE_BATCH = batchStatement(
  'chat_delete_batch',
  DELETE_COLUMNS,
  (req) => `WITH ${req}, ${locked()},
   judged AS MATERIALIZED (
     SELECT r.*, l.type, CASE ${REFUSALS}
         WHEN ${isLater('r.ts')} THEN 'again' ${DELETE_REFUSALS}
         WHEN m.reply_count > 0 OR m.thread_ts IS NOT NULL OR m.pinned IS NOT NULL THEN 'connected'
         ELSE 'done' END AS outcome
     ${JUDGED_FROM}),
   ${numbered()},
   msg AS MATERIALIZED (
     SELECT ok.n, ok.tenant_id, ok.cause, ok.shift, ok.type, ok.conversation_id, ok.ts, moved.base + ok.k AS notice_ts,
            ${messageWire('m', 'NULL::text[]', 'true')} AS previous
     FROM ok JOIN moved ON moved.id = ok.conversation_id JOIN found m ON m.conversation_id = ok.conversation_id AND m.ts = ok.ts),
   gone AS (DELETE FROM messages m USING msg WHERE m.conversation_id = msg.conversation_id AND m.ts = msg.ts),
   ${eventParts("'message_deleted'", DELETED_NOTICE)}
   SELECT r.n, r.outcome, ${QUEUED_OF_BATCH} FROM judged r`,
);

const sqlTombstone = (m: string, workspaceId: string): string =>
  `'${tombstoneWire(`' || ${workspaceId} || '`, `' || ${sqlTs(`${m}.ts`)} || '`)}'`;

/** A reply's parent is locked with it. A reply never moves to another, so it is known before its lock. */
const PARENTS = `
       UNION SELECT r.conversation_id, o.thread_ts FROM req r JOIN locked l ON l.id = r.conversation_id
       JOIN messages o ON o.conversation_id = r.conversation_id AND o.ts = r.ts WHERE o.thread_ts IS NOT NULL`;

/** Whether a locked message is as it was before the wait for its lock, and with it what is connected with it. */
const isAsSeen = (ts: string): string => `EXISTS (
   SELECT FROM messages before JOIN found now ON now.conversation_id = before.conversation_id AND now.ts = before.ts
   WHERE before.conversation_id = r.conversation_id AND before.ts = ${ts} AND before.xmin = now.version)`;

/**
 * Messages deleted with what is connected with them. One with replies becomes a tombstone, which goes with the last of
 * them; a reply is taken off its parent's counters; pins and reactions go. Apart from DELETE_BATCH, as each further table
 * that a statement may change costs time even when it changes nothing there.
 *
 * What is connected with a message is read as of before the wait for the locks. Each change of it updates the message, or
 * its parent. So where one of the two has another version now, the row is left to a transaction, which reads after its
 * locks. Of several rows for one thread the first is done.
 */
export const DELETE_CONNECTED_BATCH = batchStatement(
  'chat_delete_connected_batch',
  DELETE_COLUMNS,
  (req) => `WITH ${req}, ${locked(PARENTS)},
   judged AS MATERIALIZED (
     SELECT r.*, l.type, l.workspace_id, m.pinned, CASE ${REFUSALS}
         WHEN ${isLater('coalesce(m.thread_ts, r.ts)')} THEN 'again' ${DELETE_REFUSALS}
         WHEN (m.reply_count > 0 OR m.pinned IS NOT NULL) AND NOT ${isAsSeen('m.ts')} THEN 'own_transaction'
         WHEN m.thread_ts IS NOT NULL AND NOT ${isAsSeen('m.thread_ts')} THEN 'own_transaction'
         ELSE 'done' END AS outcome
     ${JUDGED_FROM}),
   ${numbered('count(ok.pinned)')},
   buried AS MATERIALIZED (
     SELECT ok.n, m.conversation_id, m.ts, m.thread_ts, m.is_broadcast, '${TOMBSTONE}' AS subtype, '${TOMBSTONE_USER}' AS user_id, NULL::text AS bot_id,
            '${TOMBSTONE_TEXT}' AS text, ${sqlTombstone('m', 'ok.workspace_id')} AS wire, NULL::text AS metadata,
            m.reply_count, m.reply_users, m.reply_users_count, m.latest_reply, NULL::text AS reactions, NULL::text AS pinned
     FROM ok JOIN found m ON m.conversation_id = ok.conversation_id AND m.ts = ok.ts WHERE m.reply_count > 0),
   msg AS MATERIALIZED (
     SELECT ok.n, ok.tenant_id, ok.cause, ok.shift, ok.type, ok.conversation_id, ok.ts, ok.pinned, moved.base + ok.k AS notice_ts,
            m.thread_ts, coalesce(m.user_id, m.bot_id, '') AS replier,
            ${messageWire('m', 'NULL::text[]', 'true')} AS previous, ${messageWire('t', 'NULL::text[]', 'true')} AS tombstone
     FROM ok JOIN moved ON moved.id = ok.conversation_id JOIN found m ON m.conversation_id = ok.conversation_id AND m.ts = ok.ts
     LEFT JOIN buried t ON t.n = ok.n),
   repliers AS MATERIALIZED (
     SELECT msg.n, r.conversation_id, r.thread_ts, r.replier, r.replier = msg.replier AS is_author,
            r.replies - (r.replier = msg.replier)::int AS replies,
            CASE WHEN r.replier <> msg.replier OR r.first_ts <> msg.ts THEN r.first_ts ELSE coalesce((
              SELECT min(m.ts) FROM messages m
              WHERE m.conversation_id = msg.conversation_id AND m.thread_ts = msg.thread_ts AND m.ts <> msg.ts
                AND coalesce(m.user_id, m.bot_id) = msg.replier), r.first_ts) END AS first_ts
     FROM msg JOIN thread_repliers r ON r.conversation_id = msg.conversation_id AND r.thread_ts = msg.thread_ts),
   parents AS MATERIALIZED (
     SELECT p.conversation_id, p.ts, p.subtype, p.user_id, p.bot_id, p.text, p.wire, p.metadata, p.reply_count - 1 AS reply_count,
            ARRAY(SELECT r.replier FROM repliers r WHERE r.n = msg.n AND r.replies > 0 ORDER BY r.first_ts LIMIT 5) AS reply_users,
            (SELECT count(*) FROM repliers r WHERE r.n = msg.n AND r.replies > 0)::int AS reply_users_count,
            (SELECT max(m.ts) FROM messages m
             WHERE m.conversation_id = p.conversation_id AND m.thread_ts = p.ts AND m.ts <> msg.ts) AS latest_reply,
            p.reactions, p.pinned, p.subtype IS NOT DISTINCT FROM '${TOMBSTONE}' AND p.reply_count = 1 AS is_over
     FROM msg JOIN found p ON p.conversation_id = msg.conversation_id AND p.ts = msg.thread_ts),
   stored AS (
     UPDATE messages m SET subtype = now.subtype, user_id = now.user_id, bot_id = now.bot_id, text = now.text, wire = now.wire,
       metadata = now.metadata, reactions = now.reactions, pinned = now.pinned, reply_count = now.reply_count,
       reply_users = now.reply_users, reply_users_count = now.reply_users_count, latest_reply = now.latest_reply
     FROM (
       SELECT conversation_id, ts, subtype, user_id, bot_id, text, wire, metadata, reactions, pinned, reply_count, reply_users,
              reply_users_count, latest_reply FROM buried
       UNION ALL
       SELECT conversation_id, ts, subtype, user_id, bot_id, text, wire, metadata, reactions, pinned, reply_count, reply_users,
              reply_users_count, latest_reply FROM parents WHERE NOT is_over) now
     WHERE m.conversation_id = now.conversation_id AND m.ts = now.ts),
   gone AS (
     DELETE FROM messages m USING (
       SELECT conversation_id, ts FROM msg WHERE tombstone IS NULL
       UNION ALL SELECT conversation_id, ts FROM parents WHERE is_over) ended
     WHERE m.conversation_id = ended.conversation_id AND m.ts = ended.ts),
   unpinned AS (
     DELETE FROM pins p USING msg WHERE msg.pinned IS NOT NULL AND p.conversation_id = msg.conversation_id AND p.ts = msg.ts),
   unreacted AS (
     DELETE FROM reactions x USING buried b WHERE x.conversation_id = b.conversation_id AND x.ts = b.ts),
   uncounted AS (
     UPDATE thread_repliers r SET replies = now.replies, first_ts = now.first_ts FROM repliers now
     WHERE now.is_author AND now.replies > 0
       AND r.conversation_id = now.conversation_id AND r.thread_ts = now.thread_ts AND r.replier = now.replier),
   forgotten AS (
     DELETE FROM thread_repliers r USING repliers now
     WHERE now.is_author AND now.replies = 0
       AND r.conversation_id = now.conversation_id AND r.thread_ts = now.thread_ts AND r.replier = now.replier),
   ${eventParts(
     `CASE WHEN msg.tombstone IS NULL THEN 'message_deleted' ELSE 'message_changed' END`,
     `CASE WHEN msg.tombstone IS NULL THEN ${DELETED_NOTICE}
       ELSE ',"message":' || msg.tombstone || ',"previous_message":' || msg.previous END`,
   )}
   SELECT r.n, r.outcome, ${QUEUED_OF_BATCH} FROM judged r`,
);
