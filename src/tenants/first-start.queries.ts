import { statement } from '../kernel/database/statement.js';

/* Hand-written: joins over both products, and sets of credentials that are revoked at once. */

export const LOCK_FIRST_START = statement('tenants_first_start_lock', 'SELECT pg_advisory_xact_lock($1)');

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

/** The default tenant's organization, and the admin in it. */
export const DEFAULT_ORGANIZATION = statement(
  'tenants_default_organization',
  `SELECT o.id, o.url_key AS "urlKey", u.id AS "userId" FROM organizations o
   JOIN tracker_users u ON u.organization_id = o.id AND u.account_id = $2 WHERE o.tenant_id = $1`,
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

/**
 * Operators' changes to the default credentials survive resets: the images that a reset restores are changed together
 * with the rows. Parameters: the tenant, the app.
 */
export const KEEP_THROUGH_RESETS = statement(
  'tenants_keep_default_credentials',
  `WITH t AS (
     SELECT 'tokens' AS tbl, jsonb_build_object('hash', hash)::text AS key, to_jsonb(tokens) AS row FROM tokens
     WHERE app_id = $2 AND is_default
     UNION ALL
     SELECT 'api_keys', jsonb_build_object('id', k.id)::text, to_jsonb(k) FROM api_keys k JOIN organizations o ON o.id = k.organization_id
     WHERE o.tenant_id = $1 AND k.is_default),
   stay AS (
     DELETE FROM sandbox_undo u USING t WHERE u.tenant_id = $1 AND u.tbl = t.tbl AND u.key = t.key AND u.image IS NULL),
   changed AS (
     UPDATE sandbox_undo u SET image = t.row FROM t
     WHERE u.tenant_id = $1 AND u.tbl = t.tbl AND u.key = t.key AND u.image IS NOT NULL)
   UPDATE sandbox_undo u SET image = u.image || jsonb_build_object('token_version', a.token_version) FROM apps a
   WHERE a.id = $2 AND u.tenant_id = $1 AND u.tbl = 'apps' AND u.key = jsonb_build_object('workspace_id', a.workspace_id, 'id', a.id)::text AND u.image IS NOT NULL`,
);
