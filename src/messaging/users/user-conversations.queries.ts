import { sqlIsClosed } from '../access/conversation-access.queries.js';
import { statement } from '../../kernel/database/statement.js';
import { conversationColumns } from '../store/conversation.entity.js';
import { sqlOtherParty } from '../wire/conversation-wire.js';

/* Hand-written: a page by key over memberships and conversations. */

/** `created` as clients see it: the key of the order, which is that of conversations.list. */
const CREATED = '(c.created_at / 1000000)';

/**
 * A user's conversations as another sees them: all public ones, of the others those where both are members. Parameters:
 * workspace, user, viewer, types, the key to start from (created in seconds, id), without archived ones, how many.
 */
export const CONVERSATIONS_OF = statement(
  'chat_conversations_of_user',
  `SELECT ${conversationColumns('c')}, ${sqlIsClosed('c', 'v')} AS "isClosed",
          CASE WHEN c.type = 'im' THEN EXISTS (
            SELECT FROM users u WHERE u.workspace_id = c.workspace_id AND u.id = ${sqlOtherParty('c', '$3')}
              AND u.deleted_at IS NOT NULL) ELSE false END AS "isUserDeleted"
   FROM members m JOIN conversations c ON c.id = m.conversation_id AND c.workspace_id = $1
   LEFT JOIN members v ON v.conversation_id = c.id AND v.user_id = $3::text
   WHERE m.user_id = $2 AND c.type = ANY($4::text[]) AND (${CREATED}, c.id) >= ($5::bigint, $6::text)
     AND ($7::boolean IS NOT TRUE OR NOT c.is_archived)
     AND (c.type = 'public' OR v.user_id IS NOT NULL)
   ORDER BY ${CREATED}, c.id LIMIT $8::int`,
);
