import { statement } from '../../kernel/database/statement.js';
import { userColumns } from '../store/user.entity.js';

/* Hand-written: user and workspace in one round trip. */

export const ME = statement(
  'chat_me',
  `SELECT ${userColumns('u')}, w.name AS "teamName",
          (SELECT json_agg(json_build_object('team_id', t.id, 'name', t.name, 'role', tu.role) ORDER BY tu.created_at, t.id)
           FROM users tu JOIN workspaces t ON t.id = tu.workspace_id AND t.deleted_at IS NULL
           WHERE tu.id = u.id AND tu.deleted_at IS NULL) AS teams
   FROM users u JOIN workspaces w ON w.id = u.workspace_id WHERE u.workspace_id = $1 AND u.id = $2`,
);
