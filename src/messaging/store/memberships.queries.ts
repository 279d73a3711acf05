import { statement } from '../../kernel/database/statement.js';

/* By hand: the member and the count in one statement. */

export const REMOVE_MEMBER = statement(
  'chat_remove_member',
  `WITH gone AS (DELETE FROM members WHERE conversation_id = $1 AND user_id = $2 RETURNING user_id),
   counted AS (
     UPDATE conversations SET member_count = member_count - 1, members_version = members_version + 1
     WHERE id = $1 AND EXISTS (SELECT FROM gone))
   SELECT user_id FROM gone`,
);
