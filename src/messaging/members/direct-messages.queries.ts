import { statement } from '../../kernel/database/statement.js';
import { sqlIsClosed } from '../access/conversation-access.queries.js';
import { conversationColumns } from '../store/conversation.entity.js';

/* Hand-written: on the way of each post to a person. */

/** The direct message of exactly these members, as a user sees it. Parameters: workspace, members, user. */
export const DIRECT_BY_MEMBERS = statement(
  'chat_conversation_by_members',
  `SELECT ${conversationColumns('c')}, m.user_id IS NOT NULL AS "isMember", ${sqlIsClosed('c', 'm')} AS "isClosed"
   FROM conversations c LEFT JOIN members m ON m.conversation_id = c.id AND m.user_id = $3
   WHERE c.workspace_id = $1 AND c.members_key = $2`,
);
