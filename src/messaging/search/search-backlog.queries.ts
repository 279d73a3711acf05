import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a part of the statements that store messages, and one that stores many. */

/** Messages of one range: what the background does at once. */
const AT_ONCE = 1_000;

/**
 * A statement that leaves stored messages to a later search (docs/decisions/search-index.md).
 * @param messages a relation with `conversation_id`, `ts`
 * @param workspace the parameter that holds their workspace
 */
export const intoBacklog = (messages: string, workspace: string): string =>
  `INSERT INTO search_backlog (workspace_id, conversation_id, first_ts, last_ts)
   SELECT ${workspace}, conversation_id, min(ts), max(ts) FROM (
     SELECT conversation_id, ts, (row_number() OVER (PARTITION BY conversation_id ORDER BY ts) - 1) / ${AT_ONCE} AS range FROM ${messages}) r
   GROUP BY conversation_id, range`;

/**
 * The search index is rebuilt after the messages. Parameter: the workspace. A channel after the other, as without
 * statistics of what was just copied PostgreSQL would rather read the messages of all tenants.
 */
export const INDEX_MESSAGES = statement(
  'copies_index_messages',
  `WITH m AS (
     SELECT c.id AS conversation_id, m.ts FROM conversations c
       CROSS JOIN LATERAL (SELECT ts FROM messages WHERE conversation_id = c.id OFFSET 0) m WHERE c.workspace_id = $1)
   ${intoBacklog('m', '$1')}`,
);
