import { statement } from '../../kernel/database/statement.js';
import { APP_SECRETS, appColumns } from '../access/apps-access.queries.js';

/* Hand-written: the default workspace with its app and its admin in one statement, and credentials that are taken over. */

/** The default workspace, with its default app and its admin. */
export const DEFAULT_TENANT = statement(
  'tenants_default',
  `SELECT w.id, w.name, w.tenant_id AS "tenantId", a.id AS "appId", a.bot_user_id AS "botUserId", a.bot_scopes AS "botScopes",
          a.user_scopes AS "userScopes", a.token_version AS version,
          a.signing_secret AS "signingSecret", acc.id AS "adminId", acc.email,
          acc.password_hash AS "passwordHash"
   FROM workspaces w
   JOIN apps a ON a.workspace_id = w.id AND a.is_default
   JOIN accounts acc ON acc.id = w.creator_id
   WHERE w.is_default`,
  { opens: ['signingSecret'] },
);

/** Returns the hashes that now belong to this app: a token of another app stays with it. */
export const STORE_DEFAULT_TOKEN = statement(
  'tenants_store_default_token',
  `INSERT INTO tokens (hash, kind, workspace_id, app_id, user_id, scopes, hint, is_default) VALUES ($1, $2, $3, $4, $5, $6, $7, true)
   ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL, is_default = true, scopes = excluded.scopes, user_id = excluded.user_id,
     hint = excluded.hint
   WHERE tokens.app_id = excluded.app_id
   RETURNING hash`,
);

/** Parameter: the workspace. */
export const DEFAULT_APP = statement(
  'tenants_provision_default_app',
  `SELECT ${appColumns('a')}, a.is_default AS "isDefault" FROM apps a WHERE a.workspace_id = $1 AND a.is_default`,
  APP_SECRETS,
);

/** A person of the default workspace by id or name, or its maker where the parameter is null. */
export const PERSON_TO_SIGN_IN = statement(
  'tenants_ui_person',
  `SELECT u.id, u.is_bot AS "isBot", u.deleted_at IS NOT NULL AS gone, w.id AS "teamId"
   FROM workspaces w JOIN users u ON u.workspace_id = w.id
     AND CASE WHEN $1::text IS NULL THEN u.id = w.creator_id ELSE u.id = $1 OR u.name = ltrim($1, '@') END
   WHERE w.is_default ORDER BY u.id = $1 DESC LIMIT 1`,
);
