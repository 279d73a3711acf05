import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { batchStatement } from '../../kernel/database/batch-statement.js';
import { statement } from '../../kernel/database/statement.js';
import { HISTORY_SCOPES, MESSAGE_RULE } from '../events/chat-events.js';
import { sqlScopeByType } from '../events/define-chat-event.js';
import { QUEUED_OF_BATCH, recordEvents } from '../events/delivery-plan.queries.js';
import { CHANNEL_TYPE } from '../store/message-log.queries.js';
import { SYSTEM_SUBTYPES, TOMBSTONE } from '../store/message.entity.js';
import { messageWire, sqlTs } from '../wire/message-wire.queries.js';

/* By hand: updates and deletes of a whole batch, with their events and deliveries, in one statement. */

/** Messages as they are before their revision; `version` changes with what an author can change. Parameters: conversations, ts. */
export const REVISED_MESSAGES = statement(
  'chat_revised_messages',
  `SELECT r.n, m.user_id AS "userId", m.bot_id AS "botId", m.subtype, m.is_broadcast AS "isBroadcast", m.wire, md5(m.wire) AS version
   FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS r (conversation_id, ts, n)
   JOIN messages m ON m.conversation_id = r.conversation_id AND m.ts = r.ts`,
);

/** Conversations are locked in the order of their ids, then messages in theirs, as by whoever posts, replies and reacts. */
const locked = (takes: (after: string) => string): string => `
   seen AS MATERIALIZED (
     SELECT id, members_version FROM conversations WHERE id IN (SELECT conversation_id FROM req)),
   locked AS MATERIALIZED (
     SELECT id, type, is_archived, members_version FROM conversations
     WHERE id IN (SELECT conversation_id FROM req) ORDER BY id FOR NO KEY UPDATE),
   found AS MATERIALIZED (
     SELECT m.* FROM messages m
     WHERE (m.conversation_id, m.ts) IN (SELECT r.conversation_id, r.ts FROM req r JOIN locked l ON l.id = r.conversation_id)
     ORDER BY m.conversation_id, m.ts FOR UPDATE),
   ${takes('found')}`;

/** Why a row is refused before its message is looked at; of several for one message the first is judged. */
const REFUSALS = `
   WHEN u.n IS NOT NULL THEN 'untaken'
   WHEN l.id IS NULL THEN 'channel_not_found'
   WHEN l.members_version <> s.members_version THEN 'again'
   WHEN l.type <> 'public' AND b.user_id IS NULL THEN 'channel_not_found'`;

const JUDGED_FROM = `
   FROM (SELECT req.*, row_number() OVER (PARTITION BY conversation_id, ts ORDER BY n) AS of_message FROM req) r
   LEFT JOIN untaken u ON u.n = r.n LEFT JOIN locked l ON l.id = r.conversation_id LEFT JOIN seen s ON s.id = l.id
   LEFT JOIN members b ON b.conversation_id = r.conversation_id AND b.user_id = r.user_id
   LEFT JOIN found m ON m.conversation_id = r.conversation_id AND m.ts = r.ts`;

/** A ts from the conversation's counter for each row that is done: its notice names no stored message. */
const NUMBERED = `
   ok AS MATERIALIZED (
     SELECT j.*, row_number() OVER (PARTITION BY conversation_id ORDER BY n) AS k FROM judged j WHERE outcome = 'done'),
   moved AS MATERIALIZED (
     UPDATE conversations c SET last_ts = greatest(${sqlNowMicros('counted.clock')}, c.last_ts + 1) + counted.notices - 1
     FROM (SELECT conversation_id, count(*) AS notices, min(clock) AS clock FROM ok GROUP BY 1) counted
     WHERE c.id = counted.conversation_id
     RETURNING c.id, c.last_ts - counted.notices AS base)`;

/** @param more SQL for what the notice says behind what all such notices say */
const eventParts = (subtype: 'message_changed' | 'message_deleted', more: string): string => `
   news AS (
     SELECT msg.n, msg.tenant_id, 'message' AS kind, 'conversation:' || msg.conversation_id AS room,
            '{"type":"message","subtype":"${subtype}","hidden":true,"channel":"' || msg.conversation_id || '","channel_type":"'
              || ${CHANNEL_TYPE} || '","ts":"' || ${sqlTs('msg.notice_ts')} || '","event_ts":"' || ${sqlTs('msg.notice_ts')} || '"'
              || ${more} || '}' AS data,
            msg.cause, msg.shift, msg.conversation_id, msg.type, ${sqlScopeByType(HISTORY_SCOPES, 'msg.type')} AS scope,
            '${MESSAGE_RULE.audience}' AS audience, NULL::text AS subject_id
     FROM msg),
   ${recordEvents('news')}`;

/**
 * New content of messages. Refused beside what refuses the caller: `changed`, where the message is not as it was when its
 * new content was made.
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
  (req, takes) => `WITH ${req}, ${locked(takes)},
   judged AS MATERIALIZED (
     SELECT r.*, l.type, CASE ${REFUSALS}
         WHEN l.is_archived THEN 'is_inactive'
         WHEN m.ts IS NULL THEN 'message_not_found'
         WHEN r.of_message > 1 OR md5(m.wire) <> r.version THEN 'changed'
         ELSE 'done' END AS outcome
     ${JUDGED_FROM}),
   ${NUMBERED},
   msg AS MATERIALIZED (
     SELECT ok.n, ok.tenant_id, ok.cause, ok.shift, ok.type, ok.text, ok.user_id AS viewer_id, ok.bot_id AS viewer_bot_id, moved.base + ok.k AS notice_ts,
            ${messageWire('m', 'NULL::text[]', 'true')} AS previous,
            m.conversation_id, m.ts, m.thread_ts, m.is_broadcast, m.user_id, m.reply_count, m.reply_users, m.reply_users_count, m.latest_reply,
            m.reactions, m.pinned, ok.wire, CASE WHEN ok.keeps_metadata THEN m.metadata ELSE ok.metadata END AS metadata
     FROM ok JOIN moved ON moved.id = ok.conversation_id JOIN found m ON m.conversation_id = ok.conversation_id AND m.ts = ok.ts),
   stored AS (
     UPDATE messages m SET text = msg.text, wire = msg.wire, metadata = msg.metadata
     FROM msg WHERE m.conversation_id = msg.conversation_id AND m.ts = msg.ts),
   ${eventParts('message_changed', `',"message":' || ${messageWire('msg', 'NULL::text[]', 'true')} || ',"previous_message":' || msg.previous`)}
   SELECT r.n, r.outcome, ${messageWire('msg', 'ARRAY[msg.viewer_id, msg.viewer_bot_id]')} AS message, ${QUEUED_OF_BATCH}
   FROM judged r LEFT JOIN msg ON msg.n = r.n`,
);

const SYSTEM = [...SYSTEM_SUBTYPES].map((subtype) => `'${subtype}'`).join(', ');

/**
 * Messages deleted that nothing hangs on: `apart` are those with replies, replies, and what is pinned. A bot owns what its
 * app's bot wrote, under whatever name; people what they wrote themselves.
 */
export const DELETE_BATCH = batchStatement(
  'chat_delete_batch',
  { conversation_id: 'text', ts: 'bigint', user_id: 'text', bot_id: 'text', may_all: 'boolean' },
  (req, takes) => `WITH ${req}, ${locked(takes)},
   judged AS MATERIALIZED (
     SELECT r.*, l.type, CASE ${REFUSALS}
         WHEN r.of_message > 1 THEN 'again'
         WHEN m.ts IS NULL OR m.subtype = '${TOMBSTONE}' THEN 'message_not_found'
         WHEN m.subtype IN (${SYSTEM}) OR NOT (r.may_all OR CASE WHEN r.bot_id IS NULL
             THEN m.bot_id IS NULL AND m.user_id = r.user_id ELSE m.bot_id = r.bot_id END) IS TRUE THEN 'cant_delete_message'
         WHEN m.reply_count > 0 OR m.thread_ts IS NOT NULL OR m.pinned IS NOT NULL THEN 'apart'
         ELSE 'done' END AS outcome
     ${JUDGED_FROM}),
   ${NUMBERED},
   msg AS MATERIALIZED (
     SELECT ok.n, ok.tenant_id, ok.cause, ok.shift, ok.type, ok.conversation_id, ok.ts, moved.base + ok.k AS notice_ts,
            ${messageWire('m', 'NULL::text[]', 'true')} AS previous
     FROM ok JOIN moved ON moved.id = ok.conversation_id JOIN found m ON m.conversation_id = ok.conversation_id AND m.ts = ok.ts),
   gone AS (DELETE FROM messages m USING msg WHERE m.conversation_id = msg.conversation_id AND m.ts = msg.ts),
   ${eventParts('message_deleted', `',"deleted_ts":"' || ${sqlTs('msg.ts')} || '","previous_message":' || msg.previous`)}
   SELECT r.n, r.outcome, ${QUEUED_OF_BATCH} FROM judged r`,
);
