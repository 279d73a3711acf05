import type { Tx } from '../database/db.js';
import { statement } from '../database/statement.js';

const SET = statement(
  'tenants_set_baseline',
  `UPDATE sandboxes SET epoch = epoch + 1, baseline_epoch = epoch + 1, baseline_rows = NULL,
     baseline_clock = jsonb_build_object('offset', clock_offset, 'frozenAt', clock_frozen_at, 'signWith', clock_sign_with)
   WHERE tenant_id = $1 RETURNING baseline_epoch AS epoch`,
);

const FORGET = statement(
  'tenants_forget_images',
  `DELETE FROM sandbox_undo WHERE tenant_id = $1
     AND epoch < coalesce(least((SELECT min(epoch) FROM snapshots WHERE tenant_id = $1), $2), $2)`,
);

/**
 * What the tenant holds now is what a reset goes back to: from now on its changes are tracked. In the transaction that
 * made it, as its last step, or in one that has it alone.
 */
export async function setBaseline(tx: Tx, tenantId: number): Promise<void> {
  const [set] = await tx.query<{ epoch: number }>(SET, [tenantId]);
  if (set && set.epoch > 1) await tx.query(FORGET, [tenantId, set.epoch]);
}
