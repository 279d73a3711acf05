import { Injectable } from '@nestjs/common';
import type { Db, Tx } from '../../kernel/database/db.js';
import type { DomainEvent, Recorded } from '../../kernel/events/event.js';
import { EventLog } from '../../kernel/events/event-log.js';
import { CURRENT, TAKE, TAKE_OF_SEVERAL } from './sync.queries.js';

/** What every tracker event says in its `facts`; planners of deliveries read more from them. */
export interface TrackerFacts {
  organizationId: string;
}

type Entries = readonly { event: DomainEvent; recorded: Recorded }[];

/**
 * Gives each event the organization's next number (docs/reference/tracker.md#lastsyncid). The organization's row is
 * the transaction's last lock, so numbers are in commit order and the row is held only while events are written.
 */
export async function numberEvents(tx: Tx, entries: Entries): Promise<void> {
  const byOrganization = new Map<string, Recorded[]>();
  for (const { event, recorded } of entries) {
    const { organizationId } = event.facts as TrackerFacts;
    const own = byOrganization.get(organizationId);
    if (own) own.push(recorded);
    else byOrganization.set(organizationId, [recorded]);
  }
  const last = await take(tx, byOrganization);
  for (const [organizationId, own] of byOrganization) {
    const lastSyncId = last.get(organizationId);
    if (lastSyncId === undefined) throw new Error(`an event of organization ${organizationId}, which does not exist`);
    own.forEach((recorded, i) => (recorded.syncId = lastSyncId - own.length + i + 1));
  }
}

/** Takes a number for each event; answers the last one of each organization that there is. */
async function take(tx: Tx, wanted: ReadonlyMap<string, readonly Recorded[]>): Promise<Map<string, number>> {
  const ids = [...wanted.keys()];
  const numbers = [...wanted.values()].map(({ length }) => length);
  const rows =
    ids.length === 1
      ? (await tx.query<{ lastSyncId: number }>(TAKE, [ids[0], numbers[0]])).map((row) => ({
          ...row,
          id: ids[0] ?? '',
        }))
      : await tx.query<{ id: string; lastSyncId: number }>(TAKE_OF_SEVERAL, [ids, numbers]);
  return new Map(rows.map(({ id, lastSyncId }) => [id, Number(lastSyncId)]));
}

/** The counter as it stands: `lastSyncId` of a mutation that changed nothing. */
export async function currentSyncId(on: Db | Tx, organizationId: string): Promise<number> {
  const values = [organizationId];
  const [row] = await ('query' in on
    ? on.query<{ lastSyncId: number }>(CURRENT, values)
    : on.read<{ lastSyncId: number }>(CURRENT, values));
  return Number(row?.lastSyncId ?? 0);
}

/** The highest number of what a mutation recorded; read it after `db.write` has resolved. */
export function lastSyncIdOf(recorded: readonly Recorded[]): number {
  return Math.max(...recorded.map(({ syncId }) => syncId));
}

/** The tracker's part of the event log: sync ids first, then deliveries. */
@Injectable()
export class TrackerEvents {
  private readonly planners: ((tx: Tx, entries: Entries) => Promise<void>)[] = [];

  constructor(log: EventLog) {
    log.register({
      product: 'tracker',
      number: numberEvents,
      plan: async (tx, entries) => {
        for (const plan of this.planners) await plan(tx, entries);
      },
    });
  }

  /** Queues deliveries of events in the transaction that writes them; called with their ids and numbers set. */
  onPlan(plan: (tx: Tx, entries: Entries) => Promise<void>): void {
    this.planners.push(plan);
  }
}
