import { Injectable } from '@nestjs/common';
import type { Db, Tx } from '../../kernel/database/db.js';
import type { DomainEvent, Recorded } from '../../kernel/events/event.js';
import { EventLog, queuedFor, type EventEntry, type EventProduct, type Queued } from '../../kernel/events/event-log.js';
import { CURRENT, RECORD } from './sync.queries.js';
import { isFiring, type TrackerEventFacts } from './tracker-events.js';

/** The current counter: `lastSyncId` of a mutation that changed nothing. */
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

/** An event's columns, as the statements that write it take them. */
export function columnsOfEvent({ tenantId, kind, room, data, facts }: DomainEvent) {
  const { organizationId, type, applicationId, teamIds, isPublic } = facts as TrackerEventFacts;
  return {
    tenant_id: tenantId,
    kind,
    room,
    data,
    organization_id: organizationId,
    type: applicationId !== undefined || isFiring(type) ? type : null,
    application_id: applicationId ?? null,
    // a list of lists is no list of its own in SQL
    team_ids: `{${teamIds.join(',')}}`,
    is_public: isPublic,
  };
}

interface RecordedRow extends Record<string, unknown> {
  readonly id: number;
  readonly syncId: number;
  readonly queued: string[] | null;
}

/**
 * The tracker's part of the event log: numbers each event with its organization's next number (docs/reference/tracker.md#lastsyncid).
 * The organization's row is the transaction's last lock, so numbers are in commit order and the row is held only while
 * events are written.
 */
@Injectable()
export class TrackerEvents implements EventProduct {
  readonly product = 'tracker';

  constructor(log: EventLog) {
    log.register(this);
  }

  async record(tx: Tx, entries: readonly EventEntry[]): Promise<Queued> {
    const events = entries.map(({ event }) => columnsOfEvent(event));
    const rows = await tx.query<RecordedRow>(RECORD, [
      events.map((event) => event.tenant_id),
      events.map(({ kind }) => kind),
      events.map(({ room }) => room),
      events.map(({ data }) => data),
      entries.map(({ cause }) => cause),
      entries.map(({ shift }) => shift),
      events.map((event) => event.organization_id),
      events.map(({ type }) => type),
      events.map((event) => event.team_ids),
      events.map((event) => event.is_public),
      events.map((event) => event.application_id),
      entries.map(({ draw }) => draw),
    ]);
    if (rows.length < entries.length) throw new Error('an event of an organization that does not exist');
    entries.forEach(({ recorded }, i) => {
      const { id, syncId } = rows[i] as RecordedRow;
      Object.assign(recorded, { id, syncId: Number(syncId) });
    });
    return queuedFor(rows[0]?.queued ?? []);
  }
}
