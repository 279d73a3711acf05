import { statement } from '../../kernel/database/statement.js';
import { INSTALLATION_COLUMNS } from '../installing/installation-rows.queries.js';

/* Hand-written: a page by its key, with the people of each installation in one read. */

export const INSTALLATIONS_PAGE = statement(
  'chat_installations_page',
  `SELECT ${INSTALLATION_COLUMNS}
   FROM apps a JOIN workspaces w ON w.id = a.workspace_id AND w.deleted_at IS NULL
   WHERE a.id = $1 AND a.installed_at IS NOT NULL AND (a.installed_at, a.workspace_id) >= ($2, $3)
   ORDER BY a.installed_at, a.workspace_id LIMIT $4`,
);
