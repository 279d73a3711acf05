import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a join that no entity has. */

/** Whose a snapshot is. */
export const SNAPSHOT_BY_ID = statement(
  'sandbox_of_snapshot',
  `SELECT s.tenant_id AS "tenantId", sb.id AS "sandboxId" FROM snapshots s JOIN sandboxes sb ON sb.tenant_id = s.tenant_id WHERE s.id = $1`,
);
