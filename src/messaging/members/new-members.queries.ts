import { statement } from '../../kernel/database/statement.js';
import { userColumns } from '../store/user.entity.js';

/* Hand-written: joins of a new user with the workspace's general channel. */

export const NEW_MEMBER = statement(
  'chat_newcomer',
  `SELECT ${userColumns('u')} FROM users u WHERE u.workspace_id = $1 AND u.id = $2`,
);
