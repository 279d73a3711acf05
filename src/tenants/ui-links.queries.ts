import { statement } from '../kernel/database/statement.js';

/* Hand-written: a person by id or name, and the workspace, in one round trip. */

export const PERSON_TO_SIGN_IN = statement(
  'tenants_ui_person',
  `SELECT u.id, u.is_bot AS "isBot", u.deleted_at IS NOT NULL AS gone, w.id AS "teamId"
   FROM workspaces w JOIN users u ON u.workspace_id = w.id
     AND CASE WHEN $1::text IS NULL THEN u.id = w.creator_id ELSE u.id = $1 OR u.name = ltrim($1, '@') END
   WHERE w.is_default ORDER BY u.id = $1 DESC LIMIT 1`,
);
