import { conversationColumns } from '../store/conversation.entity.js';
import { statement } from '../../kernel/database/statement.js';

/* Hand-written: nearly every call runs this check of conversation and membership, so it is one prepared read. */

/**
 * For a direct message that its member closed: whether it had no message since. Not evaluated for others. It looks at
 * the newest message, as only the index has that: of "is there a later one" the planner expects an early answer where
 * few conversations hold most messages, and would read all messages of the store.
 * @param before the ts of a message that does not count, nor those after it
 */
export const sqlIsClosed = (c: string, m: string, before?: string): string =>
  `(${m}.closed_at IS NOT NULL AND coalesce((
     SELECT x.ts FROM messages x WHERE x.conversation_id = ${c}.id${before ? ` AND x.ts < ${before}` : ''} ORDER BY x.ts DESC LIMIT 1) <= ${m}.closed_at, true))`;

const visibleColumns = `${conversationColumns('c')}, m.user_id IS NOT NULL AS "isMember", ${sqlIsClosed('c', 'm')} AS "isClosed"`;

export const CONVERSATION_BY_ID = statement(
  'chat_conversation_by_id',
  `SELECT ${visibleColumns} FROM conversations c
   LEFT JOIN members m ON m.conversation_id = c.id AND m.user_id = $3
   WHERE c.id = $1 AND c.workspace_id = $2`,
);

export const CONVERSATION_BY_NAME = statement(
  'chat_conversation_by_name',
  `SELECT ${visibleColumns} FROM conversations c
   LEFT JOIN members m ON m.conversation_id = c.id AND m.user_id = $3
   WHERE c.workspace_id = $2 AND c.name = $1 AND c.type IN ('public', 'private')`,
);

export const LOCK_CONVERSATION = statement(
  'chat_lock_conversation',
  `SELECT ${conversationColumns('c')} FROM conversations c WHERE c.id = $1 AND c.workspace_id = $2 FOR NO KEY UPDATE`,
);

export const IS_MEMBER = statement('chat_is_member', `SELECT FROM members WHERE conversation_id = $1 AND user_id = $2`);
