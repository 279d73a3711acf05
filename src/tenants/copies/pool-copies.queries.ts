import { statement } from '../../kernel/database/statement.js';
import { appIds } from '../../messaging/provisioning/copied-content.queries.js';
import { WORKSPACE_ROWS } from '../../messaging/store/rows-to-join.queries.js';
import { applicationIds } from '../../tracker/provisioning/copied-content.queries.js';
import { ORGANIZATION_ROWS } from '../../tracker/store/rows-to-join.queries.js';

/* Hand-written: of several claims and replicas each takes another row, and rows of several tables change together. */

/** The lock of whoever makes a sandbox for a pool: one replica at a time. */
export const TRY_FILLING_LOCK = statement('pools_try_filling', 'SELECT pg_try_advisory_xact_lock(7430247) AS mine');

/** The pool's own copy of its snapshot. */
export const TEMPLATE = statement(
  'pools_template',
  `SELECT sb.tenant_id AS "tenantId", sb.epoch, sb.pool_grants::text AS grants,
          sb.id_key AS "idKey", sb.random_seed AS "randomSeed", w.id AS "workspaceId", w.creator_id AS "adminId"
   FROM sandboxes sb JOIN ${WORKSPACE_ROWS} w ON w.tenant_id = sb.tenant_id
   WHERE sb.pool_id = $1 AND sb.pool_role = 'template'`,
);

/**
 * A new copy ($1) waits in its pool ($2) in a role ($3), with the grants of its apps ($4), its ids ($5), what they
 * are derived from ($6) and its number of rows ($7). Its clock stands before all times, so that nothing in it becomes due. Returns no row if the pool is gone or full.
 */
export const KEEP_COPY = statement(
  'pools_keep_copy',
  `WITH pool AS (SELECT id, size FROM pools WHERE id = $2 FOR SHARE)
   UPDATE sandboxes sb SET origin = 'made', pool_id = pool.id, pool_role = $3, pool_grants = $4::jsonb, id_key = $5, random_seed = $6,
     clock_frozen_at = 1, baseline_rows = $7
   FROM pool WHERE sb.tenant_id = $1 AND ($3 = 'template'
     OR (SELECT count(*) FROM sandboxes r WHERE r.pool_id = $2 AND r.pool_role = 'ready') < pool.size)
   RETURNING sb.tenant_id`,
);

export const COUNT_MADE = statement(
  'pools_count_made',
  `UPDATE pools SET to_make = greatest(to_make - 1, 0), error = NULL WHERE id = $1 AND (to_make > 0 OR error IS NOT NULL)`,
);

/** Takes the oldest that is ready ($1: the pool): another one than all concurrent claims. */
export const CLAIM_READY = statement(
  'pools_claim_ready',
  `WITH taken AS (
     UPDATE sandboxes SET pool_role = NULL, created_at = now(), clock_frozen_at = NULL, clock_sign_with = $2
     WHERE tenant_id = (SELECT tenant_id FROM sandboxes WHERE pool_id = $1 AND pool_role = 'ready'
                        ORDER BY tenant_id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING tenant_id, pool_grants, id_key, random_seed, baseline_rows)
   SELECT t.tenant_id AS "tenantId", t.baseline_rows AS rows, t.pool_grants::text AS grants, t.id_key AS "idKey", t.random_seed AS "randomSeed",
          w.id AS "workspaceId", o.id AS "organizationId",
          w.creator_id AS "adminId", a.email AS "adminEmail",
          ARRAY(${appIds('w.id')})
            || ARRAY(${applicationIds('o.id')}) AS "withSecrets"
   FROM taken t JOIN ${WORKSPACE_ROWS} w ON w.tenant_id = t.tenant_id LEFT JOIN ${ORGANIZATION_ROWS} o ON o.tenant_id = t.tenant_id
   LEFT JOIN accounts a ON a.id = w.creator_id`,
);

/** A copy that was made for a claim at once. */
export const CLAIM_MADE = statement(
  'pools_claim_made',
  'UPDATE sandboxes SET pool_id = (SELECT id FROM pools WHERE id = $2 FOR KEY SHARE), clock_sign_with = $3 WHERE tenant_id = $1 RETURNING pool_id AS id',
);
