import { statement } from '../../kernel/database/statement.js';

/* Hand-written: many people at once, in every call that names some. */

export const USER_FACTS = statement(
  'chat_user_facts',
  `SELECT id, name, is_bot AS "isBot", deleted_at IS NOT NULL AS "isDeleted" FROM users
   WHERE workspace_id = $1 AND id = ANY($2::text[])`,
);
