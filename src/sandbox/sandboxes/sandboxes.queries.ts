import { statement } from '../../kernel/database/statement.js';
import { SANDBOX_COLUMNS, SANDBOX_FROM } from '../access/sandbox-row.queries.js';

/* Hand-written: a page by key, an update that keeps fields not given, a person in both products. */

export const PAGE_OF_SANDBOXES = statement(
  'sandbox_page',
  `SELECT ${SANDBOX_COLUMNS} ${SANDBOX_FROM}
   WHERE ($1::text IS NULL OR sb.owner = $1) AND ($2::jsonb IS NULL OR sb.labels @> $2::jsonb)
     AND ($3::text IS NULL OR coalesce(sb.name, w.name) = $3)
     AND ($4::text IS NULL OR (sb.created_at, sb.id) >= (SELECT c.created_at, c.id FROM sandboxes c WHERE c.id = $4))
   ORDER BY sb.created_at, sb.id LIMIT $5`,
);

export const CHANGE_SANDBOX = statement(
  'sandbox_change',
  `UPDATE sandboxes SET name = CASE WHEN $2 THEN $3 ELSE name END, labels = CASE WHEN $4 THEN $5::jsonb ELSE labels END,
     expires_at = CASE WHEN $6 THEN now() + $7 * interval '1 second' ELSE expires_at END,
     journal = CASE WHEN $8 THEN $9 ELSE journal END, methods = CASE WHEN $10 THEN $11 ELSE methods END,
     rate_limit_multiplier = CASE WHEN $12 THEN $13 ELSE rate_limit_multiplier END,
     allowances = allowances + CASE WHEN $12 THEN 1 ELSE 0 END,
     missing_scope_status = CASE WHEN $14 THEN $15 ELSE missing_scope_status END,
     urls = CASE WHEN $16 THEN coalesce($17, 'server') ELSE urls END
   WHERE tenant_id = $1`,
);

export const EXPIRED_SANDBOXES = statement(
  'sandbox_expired',
  `SELECT tenant_id AS "tenantId" FROM sandboxes WHERE expires_at < now() AND origin <> 'default'
   ORDER BY expires_at LIMIT 50`,
);

/** Any constant will do that no other lock of ours uses. */
const SWEEP_LOCK = 7_430_241;

export const TRY_SWEEP_LOCK = statement(
  'sandbox_sweep_lock',
  `SELECT pg_try_advisory_xact_lock(${SWEEP_LOCK}) AS mine`,
);
