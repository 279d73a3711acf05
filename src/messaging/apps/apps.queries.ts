import { statement } from '../../kernel/database/statement.js';
import { appColumns, APP_SECRETS } from '../access/apps-access.queries.js';

/* Hand-written: a page by its key, which the entity manager cannot compare as a row. */

export const APPS_PAGE = statement(
  'chat_apps_page',
  `SELECT ${appColumns('a')} FROM apps a
   WHERE a.workspace_id = $1 AND (a.created_at, a.id) >= ($2, $3) ORDER BY a.created_at, a.id LIMIT $4`,
  APP_SECRETS,
);
