import { statement } from '../kernel/database/statement.js';
import { APP_SECRETS, appColumns } from '../messaging/access/apps-access.queries.js';

/* Hand-written: joins for the workspaces a caller may provision, and writes that depend on the row. */

export const DEFAULT_WORKSPACE = statement(
  'tenants_provision_default',
  `SELECT w.id AS "workspaceId", w.domain, w.tenant_id AS "tenantId", u.id AS "adminId", u.name AS "adminName",
          u.email AS "adminEmail", t.id AS "adminTrackerId", o.id AS "organizationId", o.url_key AS "urlKey",
          coalesce((SELECT k.key FROM teams k WHERE k.organization_id = o.id AND k.archived_at IS NULL
                    ORDER BY k.created_at, k.id LIMIT 1), '') AS "teamKey"
   FROM workspaces w
   JOIN users u ON u.workspace_id = w.id AND u.id = w.creator_id
   JOIN organizations o ON o.tenant_id = w.tenant_id
   JOIN tracker_users t ON t.organization_id = o.id AND t.account_id = u.id
   WHERE w.is_default`,
);

export const DEFAULT_APP = statement(
  'tenants_provision_default_app',
  `SELECT ${appColumns('a')}, a.is_default AS "isDefault" FROM apps a WHERE a.workspace_id = $1 AND a.is_default`,
  APP_SECRETS,
);

export const WORKSPACE_FACTS = statement(
  'tenants_workspace_facts',
  `SELECT id, name, domain, icon, created_at AS "createdAt", creator_id AS "creatorId", is_default AS "isDefault",
          (SELECT joinable FROM tenants WHERE id = w.tenant_id) AS joinable,
          (SELECT count(*) FROM users u WHERE u.workspace_id = w.id AND u.deleted_at IS NULL AND NOT u.is_bot) AS "memberCount"
   FROM workspaces w WHERE id = $1`,
);

export const HANDLES = statement('tenants_handles', 'SELECT name FROM users WHERE workspace_id = $1');

export const SET_OWNER = statement('tenants_set_owner', 'UPDATE sandboxes SET owner = $2 WHERE tenant_id = $1');
