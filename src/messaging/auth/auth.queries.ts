import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a page by its key over two tables. */

/** $2: the one workspace of an app token, null for all of an account. Parameters 3 and 4: the key to start from. */
export const TEAMS = statement(
  'auth_teams_page',
  `SELECT w.id, w.name, w.icon, w.created_at AS "createdAt" FROM users u
   JOIN workspaces w ON w.id = u.workspace_id AND w.deleted_at IS NULL
   WHERE u.id = $1 AND u.deleted_at IS NULL AND ($2::text IS NULL OR w.id = $2)
     AND (w.created_at, w.id) >= ($3::bigint, $4::text)
   ORDER BY w.created_at, w.id LIMIT $5::int`,
);
