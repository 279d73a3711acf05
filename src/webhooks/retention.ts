import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { Db } from '../kernel/database/db.js';
import { Upkeep } from '../kernel/database/upkeep.js';
import { TRY_RETENTION_LOCK, DELETE_EVENTS, DELETE_COUNTS, BATCH } from './retention.queries.js';

const EVERY_MS = 60_000;

/**
 * Keeps the event log from growing: deletes events after `SVC_EVENT_RETENTION_HOURS`, except those with a pending
 * delivery. In batches, by one replica at a time. (Finished deliveries are deleted as they finish.)
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

  /** Deletes what is old enough now. Returns the number of events; also 0 when another replica is deleting. */
  async sweep(stopped = (): boolean => false): Promise<number> {
    await this.db.run(DELETE_COUNTS, [this.clock.wallOffsetMicros]);
    let deleted = 0;
    for (let after = 0; !stopped();) {
      const batch = await this.db.write(async (tx) => {
        const [lock] = await tx.query<{ mine: boolean }>(TRY_RETENTION_LOCK);
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
