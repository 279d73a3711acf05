import { statement } from '../../kernel/database/statement.js';
import { messageWire } from '../wire/message-wire.queries.js';

/* Hand-written: what storing a reply does, alike for one in a transaction and for a batch. */

/**
 * Parts of a statement that store replies, and count them on the messages that they belong to. An earlier part `parents` has
 * these, locked; the part `msg` has the columns of the replies, their `workspace_id` and `replier`, and their number in the batch
 * (`n`), among those of the thread (`of_thread`) and among those of the thread by this replier (`of_replier`). The part `after` is
 * the parent as it is after each reply.
 */
export const STORED_REPLIES = `
   stored AS (
     INSERT INTO messages (conversation_id, ts, thread_ts, is_broadcast, user_id, bot_id, subtype, text, wire, metadata)
     SELECT conversation_id, ts, thread_ts, is_broadcast, user_id, bot_id, subtype, text, wire, metadata FROM msg),
   indexed AS (
     INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
     SELECT conversation_id, ts, workspace_id, replier, lower(text) FROM msg),
   threaded AS (
     INSERT INTO message_facets (conversation_id, ts, facet, workspace_id)
     SELECT conversation_id, ts, 'thread', workspace_id FROM msg),
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
export const PARENT_AFTER = messageWire('a', 'NULL::text[]', 'true');

/**
 * A reply under the locks of its conversation and its parent, which it answers as events show it. Parameters: the columns of the
 * message, its replier, its workspace.
 */
export const INSERT_REPLY = statement(
  'chat_insert_reply',
  `WITH msg AS (
     SELECT 1 AS n, $1::text AS conversation_id, $2::bigint AS ts, $3::bigint AS thread_ts, $4::boolean AS is_broadcast,
            $5::text AS user_id, $6::text AS bot_id, $7::text AS subtype, $8::text AS text, $9::text AS wire, $10::text AS metadata,
            $11::text AS replier, $12::text AS workspace_id, 1 AS of_thread, 1 AS of_replier),
   parents AS MATERIALIZED (SELECT m.* FROM messages m WHERE m.conversation_id = $1::text AND m.ts = $3::bigint),
   ended_status AS (
     UPDATE assistant_threads SET status = '', loading_messages = '[]'
     WHERE conversation_id = $1::text AND thread_ts = $3::bigint AND bot_id = $6::text AND status <> '' RETURNING bot_id),
   ${STORED_REPLIES}
   SELECT ${PARENT_AFTER} AS parent,
     (SELECT u.app_id FROM ended_status JOIN users u ON u.workspace_id = $12::text AND u.bot_id = ended_status.bot_id LIMIT 1) AS ended_status
   FROM after a`,
);
