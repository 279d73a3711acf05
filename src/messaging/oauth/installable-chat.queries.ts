import { statement } from '../../kernel/database/statement.js';
import { INSTALLATION_COLUMNS } from '../installing/installation-rows.queries.js';
import type { InstallationRow } from '../installing/installation-rows.js';

/* Hand-written: a tenant's app or person by any of its names, and its installations, each in one read. */

/** An app of the tenant by name or id ($2), or one that may be installed there by its client id ($3). */
export const INSTALLABLE = statement(
  'chat_installable_app',
  `SELECT a.id, a.name, a.client_id AS "clientId"
   FROM apps a JOIN workspaces w ON w.id = a.workspace_id AND w.deleted_at IS NULL
   WHERE a.home_id IS NULL AND (w.tenant_id = $1 AND (a.id = $2 OR a.name = $2 OR a.client_id = $3) OR a.is_distributed AND a.client_id = $3)
   ORDER BY (a.id = $2) DESC NULLS LAST, a.created_at, a.id LIMIT 1`,
);

/** The tenant's workspace, and one of its people by id, name or e-mail address ($2), or its primary owner. */
export const CONSENTING = statement(
  'chat_consenting_person',
  `SELECT w.id AS "workspaceId", sb.flags, u.id, u.is_bot AS "isBot"
   FROM workspaces w
   LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id
   LEFT JOIN users u ON u.workspace_id = w.id AND u.deleted_at IS NULL
     AND CASE WHEN $2::text IS NULL THEN u.role = 'primary_owner' ELSE u.id = $2 OR u.name = $2 OR u.email = lower($2) END
   WHERE w.tenant_id = $1 AND w.deleted_at IS NULL
   ORDER BY (u.id = $2) DESC NULLS LAST, (u.name = $2) DESC NULLS LAST, u.created_at, u.id LIMIT 1`,
);

export interface ConsentingRow extends Record<string, unknown> {
  readonly workspaceId: string;
  readonly flags: string | null;
  readonly id: string | null;
  readonly isBot: boolean;
}

/** The most installations of a workspace that are listed. */
const MAX_INSTALLATIONS = 1_000;

export const INSTALLATIONS_OF_TENANT = statement(
  'chat_installations_of_tenant',
  `SELECT ${INSTALLATION_COLUMNS}, a.id AS "appId", a.name, coalesce(a.client_id, h.client_id) AS "clientId"
   FROM apps a JOIN workspaces w ON w.id = a.workspace_id AND w.deleted_at IS NULL
   LEFT JOIN apps h ON h.id = a.id AND h.home_id IS NULL
   WHERE w.tenant_id = $1 AND a.installed_at IS NOT NULL
   ORDER BY a.installed_at, a.id LIMIT ${MAX_INSTALLATIONS}`,
);

export interface InstallationOfTenant extends InstallationRow {
  readonly appId: string;
  readonly name: string;
  readonly clientId: string | null;
}

/**
 * Tokens that live at $6, of a tenant ($1): one by its hash ($2), or an app's ($3, name or id) of some kinds ($4) and a
 * person ($5); configuration tokens are of no app.
 */
export const CHOSEN_TOKENS = statement(
  'chat_chosen_tokens',
  `SELECT t.hash, t.kind, t.workspace_id AS "workspaceId", t.app_id AS "appId", t.user_id AS "userId", t.expires_at AS "expiresAt"
   FROM tokens t JOIN workspaces w ON w.id = t.workspace_id AND w.deleted_at IS NULL
   LEFT JOIN apps a ON a.workspace_id = t.workspace_id AND a.id = t.app_id
   WHERE w.tenant_id = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $6::bigint)
     AND CASE WHEN $2::text IS NOT NULL THEN t.hash = $2
              ELSE (a.id = $3 OR a.name = $3 OR t.kind IN ('config', 'config_refresh')) AND t.kind = ANY($4::text[]) AND ($5::text IS NULL OR t.user_id = $5) END
   ORDER BY t.created_at, t.hash`,
);

export interface ChosenToken extends Record<string, unknown> {
  readonly hash: string;
  readonly kind: string;
  readonly workspaceId: string;
  readonly appId: string;
  readonly userId: string;
  readonly expiresAt: number | null;
}
