import { statement } from '../../kernel/database/statement.js';

/* Hand-written: messages of seed documents: thousands of rows in one statement. */

/**
 * Parts of a statement that stores messages, which are then `m` (conversation_id, ts). Parameters 1 to 12: a list for each
 * column, in the order of the insert, empty if no message has the value; `reply_users` as texts of arrays.
 */
export const insertMessages = `
   m AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::bigint[]) AS m (conversation_id, ts)),
   stored AS (
     INSERT INTO messages (conversation_id, ts, thread_ts, user_id, bot_id, text, wire, reply_count, reply_users, reply_users_count,
       latest_reply, reactions)
     SELECT conversation_id, ts, thread_ts, user_id, bot_id, text, wire, coalesce(reply_count, 0), coalesce(reply_users::text[], '{}'),
       coalesce(reply_users_count, 0), latest_reply, reactions
     FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[],
         $10::bigint[], $11::bigint[], $12::text[])
       AS r (conversation_id, ts, thread_ts, user_id, bot_id, text, wire, reply_count, reply_users, reply_users_count, latest_reply,
         reactions)),
   moved AS (
     UPDATE conversations c SET last_ts = l.last FROM (SELECT conversation_id, max(ts) AS last FROM m GROUP BY 1) l WHERE c.id = l.conversation_id)`;

/** Parameters: a list for each column. */
export const INSERT_REPLIERS = statement(
  'seed_repliers',
  `INSERT INTO thread_repliers (conversation_id, thread_ts, replier, replies, first_ts)
   SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::int[], $5::bigint[])`,
);
