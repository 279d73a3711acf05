import { statement } from '../../kernel/database/statement.js';

/* Hand-written: rows are deleted in batches by key, so that no statement takes long. */

/**
 * Rows per batch, which is one short transaction: other calls run in between, and dependent rows are deleted with them.
 */
export const BATCH = 500;
/** Tenants handled together: most are small, and a statement for each costs more than its rows. */
const TENANTS = 20;
/** Conversations handled together. */
const CONVERSATIONS = 50;

/**
 * Ends a tenant for its callers in one statement; returns its targets. Its sandbox is deleted too: changes of a tenant
 * without one are not tracked, so deleting rows keeps no images. For people who are members nowhere else the address
 * becomes free, and their sessions answer as those of a deactivated account.
 */
export const END = statement(
  'tenants_end',
  `WITH tenant AS (UPDATE tenants SET deleted_at = now() WHERE id = $1 AND deleted_at IS NULL RETURNING id),
   sandbox AS (DELETE FROM sandboxes WHERE tenant_id = $1 RETURNING control_token_hash),
   tokens AS (
     INSERT INTO ended_control_tokens (hash) SELECT control_token_hash FROM sandbox WHERE control_token_hash IS NOT NULL
     ON CONFLICT DO NOTHING),
   workspace AS (UPDATE workspaces SET deleted_at = now() WHERE tenant_id = $1 AND deleted_at IS NULL),
   targets AS (DELETE FROM event_targets WHERE tenant_id = $1),
   organization AS (UPDATE organizations SET url_key = id::text WHERE tenant_id = $1 RETURNING id),
   keys AS (DELETE FROM organization_url_keys k USING organizations o WHERE o.tenant_id = $1 AND k.organization_id = o.id),
   hooks AS (DELETE FROM tracker_webhooks h USING organizations o WHERE o.tenant_id = $1 AND h.organization_id = o.id),
   people AS (UPDATE tracker_users u SET active = false FROM organizations o WHERE o.tenant_id = $1 AND u.organization_id = o.id),
   accounts_ AS (
     UPDATE accounts a SET email = NULL, password_hash = NULL, deactivated_at = coalesce(a.deactivated_at, now())
     WHERE a.id IN (
         SELECT u.id FROM users u JOIN workspaces w ON w.id = u.workspace_id WHERE w.tenant_id = $1 AND NOT u.is_bot
         UNION SELECT u.account_id FROM tracker_users u JOIN organizations o ON o.id = u.organization_id WHERE o.tenant_id = $1)
       AND NOT EXISTS (SELECT FROM users u JOIN workspaces w ON w.id = u.workspace_id
                       WHERE u.id = a.id AND w.deleted_at IS NULL AND w.tenant_id <> $1)
       AND NOT EXISTS (SELECT FROM tracker_users u JOIN organizations o ON o.id = u.organization_id
                       JOIN tenants t ON t.id = o.tenant_id
                       WHERE u.account_id = a.id AND o.tenant_id <> $1 AND t.deleted_at IS NULL))
   SELECT id FROM delivery_targets WHERE tenant_id = $1`,
);

export const NEXT_ENDED = statement(
  'tenants_next_ended',
  `SELECT t.id, w.id AS "workspaceId", o.id AS "organizationId" FROM tenants t
   LEFT JOIN workspaces w ON w.tenant_id = t.id LEFT JOIN organizations o ON o.tenant_id = t.id
   WHERE t.deleted_at IS NOT NULL AND ($1::bigint IS NULL OR t.id = $1) ORDER BY t.deleted_at LIMIT ${TENANTS}`,
);

/** Workspaces that were deleted by a version that did not delete their tenant. */
export const END_LEFT_OVER = statement(
  'tenants_end_left_over',
  `SELECT tenant_id AS id FROM workspaces w JOIN tenants t ON t.id = w.tenant_id
   WHERE w.deleted_at IS NOT NULL AND t.deleted_at IS NULL LIMIT 100`,
);

const several = `several AS MATERIALIZED (SELECT id FROM conversations WHERE workspace_id = ANY($1::text[]) ORDER BY id LIMIT ${CONVERSATIONS})`;

const page = (name: string, table: string, key: string, where: string) =>
  statement(
    `tenants_removal_${name}`,
    `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key.replace(/[()]/g, '')} FROM ${table} WHERE ${where} LIMIT ${BATCH}) RETURNING 1`,
  );

/** Claims of people's accounts and sessions that name it; who they are elsewhere stays. */
const forgottenBy = (name: string, table: string, key: string, claim: 'team_id' | 'org') => {
  const [people, person, ids, value] =
    claim === 'team_id'
      ? ['users u', 'u.id', 'u.workspace_id = ANY($1::text[])', `t.claims ->> 'team_id' = ANY($1::text[])`]
      : [
          'tracker_users u',
          'u.account_id',
          'u.organization_id = ANY($1::uuid[])',
          // as org-claim.ts writes it
          `t.claims ->> 'org' IN (SELECT rtrim(translate(encode(uuid_send(id), 'base64'), '+/', '-_'), '=')
                                  FROM unnest($1::uuid[]) AS id)`,
        ];
  return statement(
    `tenants_removal_${name}_${claim}`,
    `UPDATE ${table} SET claims = claims - '${claim}'
     WHERE ctid = ANY(ARRAY(SELECT t.ctid FROM ${people} JOIN ${table} t ON t.${key} = ${person}
                            WHERE ${ids} AND ${value} LIMIT ${BATCH}))
     RETURNING 1`,
  );
};

/**
 * In this order, each line until none of its rows is left: dependent rows are deleted by foreign keys and are few. Of
 * tokens and keys only the hashes are kept, which answer account_inactive for ever. Parameter: the tenants' workspaces.
 */
export const CHAT_STEPS = [
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
  [forgottenBy('account', 'accounts', 'id', 'team_id')],
  [forgottenBy('session', 'sessions', 'account_id', 'team_id')],
  [page('users', 'users', '(workspace_id, id)', 'workspace_id = ANY($1::text[])')],
  [page('response_urls', 'response_urls', 'hash', 'workspace_id = ANY($1::text[])')],
  [page('apps', 'apps', '(workspace_id, id)', 'workspace_id = ANY($1::text[])')],
];

/** Replaces ids that are to be deleted. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

const ofOrganization = (table: string) => page(table, table, 'id', 'organization_id = ANY($1::uuid[])');

export const TRACKER_STEPS = [
  [
    statement(
      'tenants_removal_keys',
      `UPDATE api_keys SET organization_id = '${NOBODY}', user_id = '${NOBODY}', label = '', start = ''
     WHERE id IN (SELECT id FROM api_keys WHERE organization_id = ANY($1::uuid[]) LIMIT ${BATCH}) RETURNING 1`,
    ),
  ],
  [forgottenBy('account', 'accounts', 'id', 'org')],
  [forgottenBy('session', 'sessions', 'account_id', 'org')],
  [ofOrganization('comments')],
  [ofOrganization('issues')],
  [ofOrganization('projects')],
  [ofOrganization('team_memberships')],
  [ofOrganization('issue_labels')],
  [ofOrganization('project_labels')],
  [ofOrganization('customer_needs')],
  [ofOrganization('customers')],
  [ofOrganization('initiatives')],
  [ofOrganization('cycles')],
  [ofOrganization('workflow_states')],
];

/** By tenant: data about the tenant rather than its content. */
export const TENANT_STEPS = [
  [page('events', 'events', 'id', 'tenant_id = ANY($1::bigint[])')],
  [page('undo', 'sandbox_undo', '(tenant_id, tbl, key, epoch)', 'tenant_id = ANY($1::bigint[])')],
];

/** Other tables refer to it by foreign keys. */
export const DELETE_TENANTS = statement(
  'tenants_removal_tenants',
  'DELETE FROM tenants WHERE id = ANY($1::bigint[]) AND deleted_at IS NOT NULL',
);

/** Any constant will do that no other lock of ours uses. */
const LOCK = 7_430_231;

export const TRY_REMOVAL_LOCK = statement('tenants_removal_lock', `SELECT pg_try_advisory_xact_lock(${LOCK}) AS mine`);
