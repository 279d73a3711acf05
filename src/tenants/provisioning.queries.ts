import { statement } from '../kernel/database/statement.js';
import { USER_ROWS, WORKSPACE_ROWS } from '../messaging/store/rows-to-join.queries.js';
import { firstTeamKey, ORGANIZATION_ROWS, TRACKER_USER_ROWS } from '../tracker/store/rows-to-join.queries.js';

/* Hand-written: a join over both products. */

export const DEFAULT_WORKSPACE = statement(
  'tenants_provision_default',
  `SELECT w.id AS "workspaceId", w.domain, w.tenant_id AS "tenantId", u.id AS "adminId", u.name AS "adminName",
          u.email AS "adminEmail", t.id AS "adminTrackerId", o.id AS "organizationId", o.url_key AS "urlKey",
          ${firstTeamKey('o.id')} AS "teamKey"
   FROM ${WORKSPACE_ROWS} w
   JOIN ${USER_ROWS} u ON u.workspace_id = w.id AND u.id = w.creator_id
   JOIN ${ORGANIZATION_ROWS} o ON o.tenant_id = w.tenant_id
   JOIN ${TRACKER_USER_ROWS} t ON t.organization_id = o.id AND t.account_id = u.id
   WHERE w.is_default`,
);

export const SET_OWNER = statement('tenants_set_owner', 'UPDATE sandboxes SET owner = $2 WHERE tenant_id = $1');
