import { statement } from '../../kernel/database/statement.js';
import { deleteRows, type RemovalStep } from '../../kernel/tenancy/removal-steps.queries.js';
import { endWorkspace, isMemberElsewhere } from '../../messaging/removal.queries.js';
import { accountsOfWorkspace, WORKSPACE_ROWS } from '../../messaging/store/rows-to-join.queries.js';
import { endOrganization, isUserElsewhere } from '../../tracker/removal.queries.js';
import { accountsOfOrganization, ORGANIZATION_ROWS } from '../../tracker/store/rows-to-join.queries.js';

/* Hand-written: a tenant ends in one statement, and rows are deleted in batches by key. */

/** Tenants handled together: most are small, and a statement for each costs more than its rows. */
const TENANTS = 20;

/**
 * Ends a tenant for its callers in one statement, of the parts that each product declares; returns its targets. Its
 * sandbox is deleted too: changes of a tenant without one are not tracked, so deleting rows keeps no images. For people
 * who are members nowhere else the address becomes free, and their sessions answer as those of a deactivated account.
 */
export const END = statement(
  'tenants_end',
  `WITH tenant AS (UPDATE tenants SET deleted_at = now() WHERE id = $1 AND deleted_at IS NULL RETURNING id),
   sandbox AS (DELETE FROM sandboxes WHERE tenant_id = $1 RETURNING control_token_hash),
   tokens AS (
     INSERT INTO ended_control_tokens (hash) SELECT control_token_hash FROM sandbox WHERE control_token_hash IS NOT NULL
     ON CONFLICT DO NOTHING),
   ${endWorkspace('$1')},
   ${endOrganization('$1')},
   accounts_ AS (
     UPDATE accounts a SET email = NULL, password_hash = NULL, deactivated_at = coalesce(a.deactivated_at, now())
     WHERE a.id IN (
         ${accountsOfWorkspace('$1')}
         UNION ${accountsOfOrganization('$1')})
       AND NOT ${isMemberElsewhere('a.id', '$1')}
       AND NOT ${isUserElsewhere('a.id', '$1')})
   SELECT id FROM delivery_targets WHERE tenant_id = $1`,
);

export const NEXT_ENDED = statement(
  'tenants_next_ended',
  `SELECT t.id, w.id AS "workspaceId", o.id AS "organizationId" FROM tenants t
   LEFT JOIN ${WORKSPACE_ROWS} w ON w.tenant_id = t.id LEFT JOIN ${ORGANIZATION_ROWS} o ON o.tenant_id = t.id
   WHERE t.deleted_at IS NOT NULL AND ($1::bigint IS NULL OR t.id = $1) ORDER BY t.deleted_at LIMIT ${TENANTS}`,
);

/** By tenant: data about the tenant rather than its content. */
export const TENANT_REMOVAL: readonly RemovalStep[] = [
  [deleteRows('events', 'events', 'id', 'tenant_id = ANY($1::bigint[])')],
  [deleteRows('undo', 'sandbox_undo', '(tenant_id, tbl, key, epoch)', 'tenant_id = ANY($1::bigint[])')],
];

/** Other tables refer to it by foreign keys. */
export const DELETE_TENANTS = statement(
  'tenants_removal_tenants',
  'DELETE FROM tenants WHERE id = ANY($1::bigint[]) AND deleted_at IS NOT NULL',
);

/** Any constant will do that no other lock of ours uses. */
const LOCK = 7_430_231;

export const TRY_REMOVAL_LOCK = statement('tenants_removal_lock', `SELECT pg_try_advisory_xact_lock(${LOCK}) AS mine`);
