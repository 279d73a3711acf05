import type { Tx } from '../database/db.js';
import { SET_BASELINE, FORGET_IMAGES } from './baseline.queries.js';

/**
 * What the tenant holds now is what a reset goes back to: from now on its changes are tracked. In the transaction that
 * made it, as its last step, or in one that has it alone.
 */
export async function setBaseline(tx: Tx, tenantId: number): Promise<void> {
  const [set] = await tx.query<{ epoch: number }>(SET_BASELINE, [tenantId]);
  if (set && set.epoch > 1) await tx.query(FORGET_IMAGES, [tenantId, set.epoch]);
}
