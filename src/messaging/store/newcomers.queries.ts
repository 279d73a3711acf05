import { statement } from '../../kernel/database/statement.js';
import { userColumns } from './user.entity.js';

/* By hand: joins of a new user with the workspace's general channel. */

export const GENERAL_CHANNEL = statement(
  'chat_general_channel',
  `SELECT id FROM conversations WHERE workspace_id = $1 AND is_general`,
);

export const NEWCOMER = statement(
  'chat_newcomer',
  `SELECT ${userColumns('u')} FROM users u WHERE u.workspace_id = $1 AND u.id = $2`,
);
