import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { batchStatement } from '../../kernel/database/batch-statement.js';
import { statement } from '../../kernel/database/statement.js';
import { MESSAGE_REPLIED_RULE, MESSAGE_RULE } from '../events/chat-events.js';
import { sqlHearing } from '../events/define-chat-event.js';
import { QUEUED_OF_BATCH, recordEvents } from '../events/delivery-plan.queries.js';
import { sqlFilled } from '../wire/blanks.js';
import { messageWire, sqlTs } from '../wire/message-wire.queries.js';
import { HAS_CLOSED } from './posts.queries.js';
import { sqlSearchRows, SQL_IN_THREAD } from './search-rows.queries.js';

/* Hand-written: replies of a whole batch, with their threads, events and deliveries, in one statement. */

/** The messages that replies belong to; a reply's own ts leads to its parent. Parameters: conversations, ts. */
export const PARENTS = statement(
  'chat_parents',
  `SELECT r.n, p.ts, p.user_id, p.subtype
   FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS r (conversation_id, ts, n)
   JOIN messages m ON m.conversation_id = r.conversation_id AND m.ts = r.ts
   JOIN messages p ON p.conversation_id = m.conversation_id AND p.ts = coalesce(m.thread_ts, m.ts)`,
);

/** Those that may be stored, each with two ts: for itself, and for the notice that follows it. */
const NUMBERED = `
   ok AS MATERIALIZED (
     SELECT j.*, row_number() OVER (PARTITION BY conversation_id ORDER BY n) AS k,
            row_number() OVER (PARTITION BY conversation_id, thread_ts ORDER BY n) AS of_thread,
            row_number() OVER (PARTITION BY conversation_id, thread_ts, replier ORDER BY n) AS of_replier
     FROM judged j WHERE outcome = 'done'),
   moved AS MATERIALIZED (
     UPDATE conversations c SET last_ts = greatest(${sqlNowMicros('counted.clock')}, c.last_ts + 1) + 2 * counted.replies - 1
     FROM (SELECT conversation_id, count(*) AS replies, min(clock) AS clock FROM ok GROUP BY 1) counted
     WHERE c.id = counted.conversation_id
     RETURNING c.id, c.last_ts - 2 * counted.replies AS base),
   msg AS MATERIALIZED (
     SELECT o.n, o.tenant_id, o.cause, o.shift, o.draw, o.conversation_id, o.workspace_id, o.type, o.user_id, o.bot_id, o.subtype, o.text,
            o.metadata, o.thread_ts, o.is_broadcast, o.replier, o.of_thread, o.of_replier, t.ts,
            ${sqlFilled('o.wire', 'ts', sqlTs('t.ts'))} AS wire, ${sqlFilled('o.data', 'ts', sqlTs('t.ts'))} AS data,
            ${sqlFilled(sqlFilled('o.notice', 'ts', sqlTs('t.ts')), 'noticeTs', sqlTs('t.ts + 1'))} AS notice
     FROM ok o JOIN moved m ON m.id = o.conversation_id CROSS JOIN LATERAL (SELECT m.base + 2 * o.k - 1 AS ts) t)`;

/** What stores them, and counts them on their parents. The part `after` is the parent as it is after each reply. */
const STORED_REPLIES = `
   stored AS (
     INSERT INTO messages (conversation_id, ts, thread_ts, is_broadcast, user_id, bot_id, subtype, text, wire, metadata)
     SELECT conversation_id, ts, thread_ts, is_broadcast, user_id, bot_id, subtype, text, wire, metadata FROM msg),
   indexed AS (${sqlSearchRows('replier')}),
   threaded AS (${SQL_IN_THREAD}),
   counted AS MATERIALIZED (
     INSERT INTO thread_repliers (conversation_id, thread_ts, replier, replies, first_ts)
     SELECT conversation_id, thread_ts, replier, count(*), min(ts) FROM msg GROUP BY 1, 2, 3
     ON CONFLICT (conversation_id, thread_ts, replier) DO UPDATE SET replies = thread_repliers.replies + excluded.replies
     RETURNING conversation_id, thread_ts, replier, replies),
   new_repliers AS MATERIALIZED (
     SELECT msg.n, msg.of_replier = 1 AND c.replies = count(*) OVER (PARTITION BY msg.conversation_id, msg.thread_ts, msg.replier) AS is_new
     FROM msg JOIN counted c ON c.conversation_id = msg.conversation_id AND c.thread_ts = msg.thread_ts AND c.replier = msg.replier),
   after AS MATERIALIZED (
     SELECT msg.n, p.conversation_id, p.ts, p.thread_ts, p.is_broadcast, p.user_id, p.wire, p.metadata, p.reactions, p.pinned,
            p.reply_count + msg.of_thread::int AS reply_count, msg.ts AS latest_reply,
            p.reply_users_count + (count(*) FILTER (WHERE new.is_new) OVER so_far)::int AS reply_users_count,
            (p.reply_users || coalesce(array_agg(msg.replier) FILTER (WHERE new.is_new) OVER so_far, '{}'))[1:5] AS reply_users
     FROM msg JOIN new_repliers new ON new.n = msg.n
     JOIN parents p ON p.conversation_id = msg.conversation_id AND p.ts = msg.thread_ts
     WINDOW so_far AS (PARTITION BY msg.conversation_id, msg.thread_ts ORDER BY msg.n)),
   grown AS (
     UPDATE messages m SET reply_count = last.reply_count, latest_reply = last.latest_reply,
       reply_users_count = last.reply_users_count, reply_users = last.reply_users
     FROM (SELECT DISTINCT ON (conversation_id, ts) * FROM after ORDER BY conversation_id, ts, n DESC) last
     WHERE m.conversation_id = last.conversation_id AND m.ts = last.ts)`;

/** The parent of the part `after`, named `a`, as events show it. */
const PARENT_AFTER = messageWire('a', 'NULL::text[]', 'true');

/**
 * Replies of a whole batch, as POST_BATCH stores posts: under their conversations' locks, then their parents'. The notice of
 * each shows the parent as it is after this reply.
 *
 * Refused beside what refuses posts: `moved`, where the parent is another than its caller looked up, and `own_transaction`, where
 * the reply clears an assistant's status or opens a direct message again, which others are told of. A reply inside a
 * transaction has neither `data` nor `notice`, as a post there.
 */
export const REPLY_BATCH = batchStatement(
  'chat_reply_batch',
  {
    conversation_id: 'text',
    workspace_id: 'text',
    member_id: 'text',
    thread_ts: 'bigint',
    parent_user_id: 'text',
    is_broadcast: 'boolean',
    user_id: 'text',
    bot_id: 'text',
    subtype: 'text',
    text: 'text',
    wire: 'text',
    metadata: 'text',
    data: 'text',
    notice: 'text',
  },
  (req, lock) => `WITH ${req},
   seen AS MATERIALIZED (
     SELECT id, members_version FROM conversations WHERE id IN (SELECT conversation_id FROM req)),
   locked AS MATERIALIZED (
     SELECT id, type, is_archived, members_version FROM conversations
     WHERE id IN (SELECT conversation_id FROM req) ORDER BY id ${lock}),
   parents AS MATERIALIZED (
     SELECT m.* FROM messages m
     WHERE (m.conversation_id, m.ts) IN (SELECT r.conversation_id, r.thread_ts FROM req r JOIN locked l ON l.id = r.conversation_id)
     ORDER BY m.conversation_id, m.ts ${lock}),
   judged AS MATERIALIZED (
     SELECT r.*, l.type, coalesce(r.user_id, r.bot_id, '') AS replier,
       CASE WHEN l.members_version IS DISTINCT FROM s.members_version THEN 'again'
         WHEN l.id IS NULL THEN 'channel_not_found'
         WHEN l.is_archived THEN 'is_archived'
         WHEN r.member_id IS NOT NULL AND b.user_id IS NULL THEN 'not_in_channel'
         WHEN p.ts IS NULL AND EXISTS (SELECT FROM messages m WHERE m.conversation_id = r.conversation_id AND m.ts = r.thread_ts) THEN 'again'
         WHEN p.ts IS NULL OR p.user_id IS DISTINCT FROM r.parent_user_id THEN 'moved'
         WHEN r.data IS NOT NULL AND (a.bot_id IS NOT NULL OR ${HAS_CLOSED}) THEN 'own_transaction'
         ELSE 'done' END AS outcome
     FROM req r LEFT JOIN locked l ON l.id = r.conversation_id LEFT JOIN seen s ON s.id = r.conversation_id
     LEFT JOIN members b ON b.conversation_id = r.conversation_id AND b.user_id = r.member_id
     LEFT JOIN parents p ON p.conversation_id = r.conversation_id AND p.ts = r.thread_ts
     LEFT JOIN assistant_threads a ON a.conversation_id = r.conversation_id AND a.thread_ts = r.thread_ts AND a.bot_id = r.bot_id
       AND a.status <> ''),
   ${NUMBERED},
   ${STORED_REPLIES},
   new_events AS (
     SELECT e.n, msg.tenant_id, e.kind, 'conversation:' || msg.conversation_id AS room, e.data, msg.cause, msg.shift, msg.draw || e.kind AS draw, msg.conversation_id,
            msg.type, e.scope, e.audience, e.named_by_type, NULL::text AS subject_id
     FROM msg JOIN after a ON a.n = msg.n CROSS JOIN LATERAL (VALUES
       (2 * msg.n, 'message', msg.data, ${sqlHearing(MESSAGE_RULE, 'msg.type').join(', ')}),
       (2 * msg.n + 1, 'message_replied', ${sqlFilled('msg.notice', 'parent', `left(${PARENT_AFTER}, -1)`)},
         ${sqlHearing(MESSAGE_REPLIED_RULE, 'msg.type').join(', ')})) e (n, kind, data, scope, audience, named_by_type)
     WHERE msg.data IS NOT NULL),
   ${recordEvents('new_events')}
   SELECT r.n, r.outcome, msg.ts, ${QUEUED_OF_BATCH} FROM judged r LEFT JOIN msg ON msg.n = r.n`,
  { keeps: 'callers' },
);
