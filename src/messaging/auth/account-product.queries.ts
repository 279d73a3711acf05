import { statement } from '../../kernel/database/statement.js';

/* Hand-written: joins of an account with the workspace that it enters. */

export const WORKSPACE_TO_ENTER = statement(
  'chat_auth_workspace',
  `SELECT w.id, w.tenant_id AS "tenantId" FROM workspaces w JOIN tenants t ON t.id = w.tenant_id AND t.joinable
   WHERE w.deleted_at IS NULL AND CASE WHEN $1::text IS NULL THEN w.is_default ELSE w.id = $1 END`,
);

/** The requested workspace, else that of the session so far, else the default one, else the one joined first. */
export const ENTER_WORKSPACE = statement(
  'chat_auth_enter',
  `SELECT w.id AS "teamId", w.name AS "teamName", w.domain, u.name, u.profile ->> 'real_name' AS "realName", u.email
   FROM users u JOIN workspaces w ON w.id = u.workspace_id AND w.deleted_at IS NULL
   WHERE u.id = $1 AND u.deleted_at IS NULL AND ($2::text IS NULL OR w.id = $2)
   ORDER BY (w.id = $3) IS TRUE DESC, w.is_default DESC, u.created_at, w.id LIMIT 1`,
);
