import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a person by any of its names. */

export const USER_BY_NAME = statement(
  'act_user',
  `SELECT u.id FROM users u LEFT JOIN apps a ON a.workspace_id = u.workspace_id AND a.bot_user_id = u.id
   WHERE u.workspace_id = $1 AND ($3 = false OR u.is_bot) AND (u.id = $2 OR u.name = $2 OR a.id = $2 OR a.name = $2 OR a.bot_id = $2)
   ORDER BY (u.id = $2) DESC, (u.name = $2) DESC, u.created_at, u.id LIMIT 1`,
);
