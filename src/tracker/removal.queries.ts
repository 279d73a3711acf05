import { forgetClaims } from '../auth/forgotten-claims.queries.js';
import { statement } from '../kernel/database/statement.js';
import { BATCH, deleteRows, type RemovalStep } from '../kernel/tenancy/removal-steps.queries.js';

/* Hand-written: what ends with an organization, over the tables of all rooms; rows are deleted in batches by key. */

/** Parts of the statement that ends a tenant. */
export const endOrganization = (tenant: string): string =>
  `organization AS (UPDATE organizations SET url_key = id::text WHERE tenant_id = ${tenant} RETURNING id),
   keys AS (DELETE FROM organization_url_keys k USING organizations o WHERE o.tenant_id = ${tenant} AND k.organization_id = o.id),
   hooks AS (DELETE FROM tracker_webhooks h USING organizations o WHERE o.tenant_id = ${tenant} AND h.organization_id = o.id),
   people AS (UPDATE tracker_users u SET active = false FROM organizations o WHERE o.tenant_id = ${tenant} AND u.organization_id = o.id)`;

/** Whether an account is a user of an organization of another tenant. */
export const isUserElsewhere = (account: string, tenant: string): string =>
  `EXISTS (SELECT FROM tracker_users u JOIN organizations o ON o.id = u.organization_id
                       JOIN tenants t ON t.id = o.tenant_id
                       WHERE u.account_id = ${account} AND o.tenant_id <> ${tenant} AND t.deleted_at IS NULL)`;

/** Replaces ids that are to be deleted. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

const ofOrganization = (table: string): RemovalStep => [
  deleteRows(table, table, 'id', 'organization_id = ANY($1::uuid[])'),
];

/**
 * In this order, each step until none of its rows is left: dependent rows are deleted by foreign keys and are few. Of
 * keys only the hashes are kept, which answer account_inactive for ever. Parameter: the tenants' organizations.
 */
export const ORGANIZATION_REMOVAL: readonly RemovalStep[] = [
  [
    statement(
      'tenants_removal_keys',
      `UPDATE api_keys SET organization_id = '${NOBODY}', user_id = '${NOBODY}', label = '', start = ''
     WHERE id IN (SELECT id FROM api_keys WHERE organization_id = ANY($1::uuid[]) LIMIT ${BATCH}) RETURNING 1`,
    ),
  ],
  ...forgetClaims({
    claim: 'org',
    people: 'tracker_users u',
    account: 'u.account_id',
    where: 'u.organization_id = ANY($1::uuid[])',
    // as org-claim.ts writes it
    named: `IN (SELECT rtrim(translate(encode(uuid_send(id), 'base64'), '+/', '-_'), '=')
                                  FROM unnest($1::uuid[]) AS id)`,
  }),
  ...[
    'comments',
    'issues',
    'projects',
    'team_memberships',
    'issue_labels',
    'project_labels',
    'customer_needs',
    'customers',
    'initiatives',
    'cycles',
    'workflow_states',
  ].map(ofOrganization),
];
