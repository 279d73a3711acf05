import type { Tx } from '../database/db.js';
import { SET_BASELINE, FORGET_IMAGES } from './baseline.queries.js';

/**
 * Makes the tenant's current state the baseline of resets: from now on its changes are tracked. Called as the last step
 * of the transaction that made it, or in one that excludes all others.
 */
export async function setBaseline(tx: Tx, tenantId: number): Promise<void> {
  const [set] = await tx.query<{ epoch: number }>(SET_BASELINE, [tenantId]);
  if (set && set.epoch > 1) await tx.query(FORGET_IMAGES, [tenantId, set.epoch]);
}
