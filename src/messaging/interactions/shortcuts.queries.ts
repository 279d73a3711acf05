import { statement } from '../../kernel/database/statement.js';
import { appColumns, APP_SECRETS } from '../access/apps-access.queries.js';

/* Hand-written: looks into manifests. */

export const APP_OF_SHORTCUT = statement(
  'chat_app_of_shortcut',
  `SELECT ${appColumns('a')} FROM apps a
   WHERE a.workspace_id = $1 AND a.installed_at IS NOT NULL AND ($4::text IS NULL OR a.id = $4)
     AND a.manifest #> '{features,shortcuts}' @> jsonb_build_array(jsonb_build_object('callback_id', $2::text, 'type', $3::text))
   ORDER BY a.created_at, a.id LIMIT 1`,
  APP_SECRETS,
);
