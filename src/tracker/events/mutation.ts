import type { Db, Tx } from '../../kernel/database/db.js';
import { currentSyncId, lastSyncIdOf } from './sync.js';
import type { Viewer } from '../access/viewer.js';

/** The fields of every mutation's answer (docs/reference/tracker.md#operations, #lastsyncid). */
export interface Mutated {
  success: true;
  /** The highest number taken by this mutation; the current counter when nothing changed. */
  lastSyncId: number;
}

/**
 * One mutation = one transaction (docs/reference/tracker.md#inputs). What `work` answers becomes the payload; whether
 * something changed is seen by the events it recorded. `work` may run again after a deadlock, so it must touch nothing
 * but the transaction.
 */
export async function mutate<T extends object>(
  db: Db,
  viewer: Viewer,
  work: (tx: Tx) => Promise<T>,
): Promise<T & Mutated> {
  const { payload, events } = await db.write(async (tx) => ({ payload: await work(tx), events: tx.events }));
  // numbers are set once the transaction has committed
  const lastSyncId =
    events.length > 0
      ? lastSyncIdOf(events.map(({ recorded }) => recorded))
      : await currentSyncId(db, viewer.organizationId);
  return { ...payload, success: true, lastSyncId };
}
