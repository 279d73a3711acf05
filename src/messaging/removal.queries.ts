import { forgetClaims } from '../auth/forgotten-claims.queries.js';
import { statement } from '../kernel/database/statement.js';
import { BATCH, deleteRows, type RemovalStep } from '../kernel/tenancy/removal-steps.queries.js';

/* Hand-written: what ends with a workspace, over the tables of all rooms; rows are deleted in batches by key. */

/** Parts of the statement that ends a tenant. */
export const endWorkspace = (tenant: string): string =>
  `workspace AS (UPDATE workspaces SET deleted_at = now() WHERE tenant_id = ${tenant} AND deleted_at IS NULL),
   targets AS (DELETE FROM event_targets WHERE tenant_id = ${tenant})`;

/** Whether an account is a member of a workspace of another tenant. */
export const isMemberElsewhere = (account: string, tenant: string): string =>
  `EXISTS (SELECT FROM users u JOIN workspaces w ON w.id = u.workspace_id
                       WHERE u.id = ${account} AND w.deleted_at IS NULL AND w.tenant_id <> ${tenant})`;

/** Conversations handled together. */
const CONVERSATIONS = 50;

const several = `several AS MATERIALIZED (SELECT id FROM conversations WHERE workspace_id = ANY($1::text[]) ORDER BY id LIMIT ${CONVERSATIONS})`;

/**
 * In this order, each step until none of its rows is left: dependent rows are deleted by foreign keys and are few. Of
 * tokens only the hashes are kept, which answer account_inactive for ever. Parameter: the tenants' workspaces.
 */
export const WORKSPACE_REMOVAL: readonly RemovalStep[] = [
  [
    statement(
      'tenants_removal_tokens',
      `UPDATE tokens SET workspace_id = '', app_id = '', user_id = '', scopes = '{}'
     WHERE hash IN (SELECT hash FROM tokens WHERE workspace_id = ANY($1::text[]) LIMIT ${BATCH}) RETURNING 1`,
    ),
  ],
  // of some conversations at a time
  [
    statement(
      'tenants_removal_messages',
      `WITH ${several}, doomed AS MATERIALIZED (
       SELECT m.conversation_id, m.ts FROM several JOIN messages m ON m.conversation_id = several.id LIMIT ${BATCH})
     DELETE FROM messages m USING doomed d WHERE m.conversation_id = d.conversation_id AND m.ts = d.ts RETURNING 1`,
    ),
    statement(
      'tenants_removal_members',
      `WITH ${several}, doomed AS MATERIALIZED (
       SELECT m.conversation_id, m.user_id FROM several JOIN members m ON m.conversation_id = several.id LIMIT ${BATCH})
     DELETE FROM members m USING doomed d WHERE m.conversation_id = d.conversation_id AND m.user_id = d.user_id RETURNING 1`,
    ),
    statement(
      'tenants_removal_conversations',
      `WITH ${several} DELETE FROM conversations c USING several WHERE c.id = several.id
       AND NOT EXISTS (SELECT FROM messages m WHERE m.conversation_id = c.id) RETURNING 1`,
    ),
  ],
  ...forgetClaims({
    claim: 'team_id',
    people: 'users u',
    account: 'u.id',
    where: 'u.workspace_id = ANY($1::text[])',
    named: '= ANY($1::text[])',
  }),
  [deleteRows('users', 'users', '(workspace_id, id)', 'workspace_id = ANY($1::text[])')],
  [deleteRows('response_urls', 'response_urls', 'hash', 'workspace_id = ANY($1::text[])')],
  [deleteRows('apps', 'apps', '(workspace_id, id)', 'workspace_id = ANY($1::text[])')],
];

/** Workspaces that were deleted by a version that did not delete their tenant. */
export const END_LEFT_OVER = statement(
  'tenants_end_left_over',
  `SELECT tenant_id AS id FROM workspaces w JOIN tenants t ON t.id = w.tenant_id
   WHERE w.deleted_at IS NOT NULL AND t.deleted_at IS NULL LIMIT 100`,
);
