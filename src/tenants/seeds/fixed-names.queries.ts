import { statement, StatementShapes, type Statement } from '../../kernel/database/statement.js';
import { declaredEntities } from '../../tracker/entity/declare.js';

/* Hand-written: many names and ids are looked up at once. */

/** Documents with a fixed name in common are handled one after the other. Parameter: numbers of locks, ascending. */
export const LOCK = statement(
  'seed_lock_fixed_names',
  'SELECT pg_advisory_xact_lock(7430242, n) FROM unnest($1::integer[]) AS l (n)',
);

/** For each name in use, its tenant if that is deleted already: its rows are then deleted at once. */
export const TAKEN_IDS = statement(
  'seed_taken_ids',
  `WITH taken AS (
     SELECT u.id, u.workspace_id FROM users u WHERE u.id = ANY($1::text[])
     UNION ALL SELECT c.id, c.workspace_id FROM conversations c WHERE c.id = ANY($1::text[])
     UNION ALL SELECT a.id, a.workspace_id FROM apps a WHERE a.id = ANY($1::text[])
     UNION ALL SELECT a.client_id, a.workspace_id FROM apps a WHERE a.client_id = ANY($1::text[])
     UNION ALL SELECT w.id, w.id FROM workspaces w WHERE w.id = ANY($1::text[]))
   SELECT t.id, CASE WHEN w.deleted_at IS NOT NULL THEN w.tenant_id END AS "endedTenant"
   FROM taken t JOIN workspaces w ON w.id = t.workspace_id
   UNION ALL
   SELECT a.id, NULL FROM accounts a WHERE a.id = ANY($1::text[]) AND (a.deactivated_at IS NULL OR a.email IS NOT NULL)`,
);

/** With the tables of the things that are declared. */
const OTHERS = ['teams', 'issue_labels', 'workflow_states', 'issues', 'comments', 'projects', 'tracker_webhooks'];

const shapes = new StatementShapes('seed_taken_uuids');

export const takenUuids = (): Statement =>
  shapes.of('all', () => {
    const tables = [...OTHERS, ...declaredEntities().flatMap(({ seeds, table }) => (seeds.length > 0 ? [table] : []))];
    const uuids = tables.map((table) => `SELECT x.id, x.organization_id FROM ${table} x WHERE x.id = ANY($1::uuid[])`);
    return `WITH taken AS (${uuids.join(' UNION ALL ')})
   SELECT x.id::text AS id, CASE WHEN t.deleted_at IS NOT NULL THEN t.id END AS "endedTenant"
   FROM taken x JOIN organizations o ON o.id = x.organization_id JOIN tenants t ON t.id = o.tenant_id`;
  });

/** Hashes of tokens and keys outlive their tenant, so that they answer account_inactive; fixing one anew reuses it. */
export const FREE_TOKENS = statement(
  'seed_free_tokens',
  `WITH tokens_ AS (
     DELETE FROM tokens t WHERE t.hash = ANY($1::text[])
       AND NOT EXISTS (SELECT FROM workspaces w WHERE w.id = t.workspace_id AND w.deleted_at IS NULL)),
   release_keys AS (
     DELETE FROM release_access_keys k WHERE k.hash = ANY($1::text[])
       AND NOT EXISTS (SELECT FROM organizations o JOIN tenants t ON t.id = o.tenant_id
                       WHERE o.id = k.organization_id AND t.deleted_at IS NULL))
   DELETE FROM api_keys k WHERE k.hash = ANY($1::text[])
     AND NOT EXISTS (SELECT FROM organizations o JOIN tenants t ON t.id = o.tenant_id
                     WHERE o.id = k.organization_id AND t.deleted_at IS NULL)`,
);

/** Accounts of people who are members nowhere any more, with their sessions. */
export const FREE_ACCOUNTS = statement(
  'seed_free_accounts',
  `DELETE FROM accounts a WHERE a.id = ANY($1::text[]) AND a.deactivated_at IS NOT NULL AND a.email IS NULL
     AND NOT EXISTS (SELECT FROM users u WHERE u.id = a.id)
     AND NOT EXISTS (SELECT FROM tracker_users u WHERE u.account_id = a.id)`,
);

export const TAKEN_TOKENS = statement(
  'seed_taken_tokens',
  `SELECT hash AS id FROM tokens WHERE hash = ANY($1::text[])
   UNION ALL SELECT hash FROM api_keys WHERE hash = ANY($1::text[])
   UNION ALL SELECT hash FROM release_access_keys WHERE hash = ANY($1::text[])
   UNION ALL SELECT client_secret_hash FROM oauth_applications WHERE client_secret_hash = ANY($1::text[])
   UNION ALL SELECT a.client_secret_hash FROM apps a JOIN workspaces w ON w.id = a.workspace_id AND w.deleted_at IS NULL
     WHERE a.client_secret_hash = ANY($1::text[])`,
);
