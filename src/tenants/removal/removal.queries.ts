import { statement } from '../../kernel/database/statement.js';

/* By hand: rows go in batches by key, so that no statement takes long. */

/** Rows of one batch, which is one short transaction: others get their turn in between, and what hangs on its rows goes along. */
export const BATCH = 500;
/** Tenants looked at together: most are small, and a statement for each of them costs more than its rows. */
const TENANTS = 20;
/** Conversations looked at together. */
const CONVERSATIONS = 50;

/**
 * What ends a tenant for whoever calls, in one statement; answers its targets. Its sandbox goes with it: changes of a tenant
 * without one are not tracked, so removing rows keeps no images. People who are nowhere else: their address is free, their
 * sessions answer as those of a deactivated account.
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

/** Workspaces that were deleted before their tenant went with them. */
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

/**
 * In this order, each line until nothing of it is left: what hangs on rows of a step goes with them by foreign key and is bounded.
 * Of tokens and keys the hashes stay, which answer account_inactive for ever, and nothing of whose they were.
 * Parameter: the tenants' workspaces.
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
  [page('users', 'users', '(workspace_id, id)', 'workspace_id = ANY($1::text[])')],
  [page('response_urls', 'response_urls', 'hash', 'workspace_id = ANY($1::text[])')],
  [page('apps', 'apps', 'id', 'workspace_id = ANY($1::text[])')],
];

/** In place of ids that are to be forgotten. */
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
  [ofOrganization('comments')],
  [ofOrganization('issues')],
  [ofOrganization('projects')],
  [ofOrganization('team_memberships')],
  [ofOrganization('issue_labels')],
  [ofOrganization('cycles')],
  [ofOrganization('workflow_states')],
];

/** By tenant: what is kept about it rather than in it. */
export const TENANT_STEPS = [
  [page('undo', 'sandbox_undo', '(tenant_id, tbl, key, epoch)', 'tenant_id = ANY($1::bigint[])')],
];

/** The rest hangs on it by foreign key. */
export const DELETE_TENANTS = statement(
  'tenants_removal_tenants',
  'DELETE FROM tenants WHERE id = ANY($1::bigint[]) AND deleted_at IS NOT NULL',
);

/** Any constant does, as long as no other lock of ours takes it. */
const LOCK = 7_430_231;

export const TRY_REMOVAL_LOCK = statement('tenants_removal_lock', `SELECT pg_try_advisory_xact_lock(${LOCK}) AS mine`);
