import { statement } from '../../kernel/database/statement.js';
import { COUNTS_OF_PRODUCTS, withProducts } from '../../tenants/both-products.queries.js';
import { SANDBOX_COLUMNS, SANDBOX_FROM } from '../access/sandbox-row.queries.js';

/* Hand-written: counts over both products, for a page of sandboxes at once. */

/** Counts of a sandbox `sb` with its workspace `w`. */
const COUNTS = `
     ${COUNTS_OF_PRODUCTS},
     (SELECT count(*)::int FROM snapshots s WHERE s.tenant_id = sb.tenant_id) AS snapshots,
     sb.last_call_at AS "lastCallAt"`;

export const COUNTS_OF_SANDBOXES = statement(
  'sandbox_counts',
  `SELECT sb.tenant_id AS "tenantId", ${COUNTS}
   FROM sandboxes sb ${withProducts('sb.tenant_id')} WHERE sb.tenant_id = ANY($1::bigint[])`,
);

/** A sandbox that was just made, with its counts. */
export const MADE_SANDBOX = statement(
  'sandbox_made',
  `SELECT ${SANDBOX_COLUMNS}, ${COUNTS} ${SANDBOX_FROM} WHERE sb.tenant_id = $1`,
);

export const TOUCH_SANDBOXES = statement(
  'sandbox_touch',
  `UPDATE sandboxes SET last_call_at = now() WHERE tenant_id = ANY($1::bigint[])
     AND (last_call_at IS NULL OR last_call_at < now() - interval '3 seconds')`,
  { keeps: 'everything' },
);
