import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { Db } from '../kernel/database/db.js';
import { statement } from '../kernel/database/statement.js';
import { Upkeep } from '../kernel/database/upkeep.js';

const EVERY_MS = 60_000;
/** Events of one batch, which is one short transaction. */
const BATCH = 2_000;
/** Any constant does, as long as no other lock of ours takes it. */
const LOCK = 7_430_217;

// one replica at a time; the lock ends with the transaction
const TRY_LOCK = statement('retention_lock', `SELECT pg_try_advisory_xact_lock(${LOCK}) AS mine`);
export const DELETE_EVENTS = statement(
  'retention_events',
  `WITH head AS MATERIALIZED (
     SELECT id, recorded_at < clock_timestamp() + $2::bigint * interval '1 microsecond' - $3::int * interval '1 hour' AS old
       FROM events WHERE id > $1 ORDER BY id LIMIT ${BATCH}
   ), gone AS (
     DELETE FROM events e USING head h
      WHERE e.id = h.id AND h.old AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id)
     RETURNING e.id
   )
   SELECT (SELECT count(*)::int FROM gone) AS deleted, (SELECT max(id) FROM head WHERE old) AS last,
          (SELECT count(*)::int FROM head WHERE old) AS old`,
);
const DELETE_COUNTS = statement(
  'retention_counts',
  `DELETE FROM delivery_counts
    WHERE minute < floor(extract(epoch FROM clock_timestamp() + $1::bigint * interval '1 microsecond') / 60)::int - 60`,
);

/**
 * Keeps the event log from growing: events go after `SVC_EVENT_RETENTION_HOURS`, but never one with a delivery that is
 * still to be made. In batches, by one replica at a time. (Finished deliveries are deleted as they finish.)
 */
@Injectable()
export class Retention {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    @Inject(SETTINGS_TOKEN) private readonly settings: Pick<Settings, 'eventRetentionHours'>,
    upkeep: Upkeep,
  ) {
    upkeep.register('deleting old events', EVERY_MS, (stopped) => this.sweep(stopped));
  }

  /** Deletes what is old enough now. Answers how many events went; 0 also when another replica is at it. */
  async sweep(stopped = (): boolean => false): Promise<number> {
    await this.db.run(DELETE_COUNTS, [this.clock.wallOffsetMicros]);
    let deleted = 0;
    for (let after = 0; !stopped();) {
      const batch = await this.db.write(async (tx) => {
        const [lock] = await tx.query<{ mine: boolean }>(TRY_LOCK);
        if (!lock?.mine) return undefined;
        const [row] = await tx.query<{ deleted: number; last: number | null; old: number }>(DELETE_EVENTS, [
          after,
          this.clock.wallOffsetMicros,
          this.settings.eventRetentionHours,
        ]);
        return row;
      });
      if (!batch || batch.last === null) break;
      deleted += batch.deleted;
      after = batch.last;
      if (batch.old < BATCH) break;
    }
    return deleted;
  }
}
