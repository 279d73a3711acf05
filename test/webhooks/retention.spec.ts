import { describe, expect, it } from 'vitest';
import { Upkeep } from '../../src/kernel/database/upkeep.js';
import { LoggedEvent } from '../../src/kernel/events/logged-event.entity.js';
import { Delivery } from '../../src/webhooks/delivery.entity.js';
import { Retention } from '../../src/webhooks/retention.js';
import { useBareStore } from '../support/bare-store.js';
import { insertRows, rowsOf } from '../support/rows.js';

describe('retention', () => {
  const store = useBareStore();
  const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);
  const event = { tenantId: 1, product: 'chat', kind: 'message', room: 'retention', data: '{}' };
  /** Records this number of events at that time; answers their ids. */
  const record = async (count: number, recordedAt: Date): Promise<number[]> =>
    (await insertRows(store, LoggedEvent, Array(count).fill({ ...event, recordedAt }))).map(({ id }) => id);

  it('deletes old events in batches, keeps young ones and those that are still to be delivered', async () => {
    const { db, clock } = store.process();
    const retention = new Retention(db, clock, { eventRetentionHours: 24 }, new Upkeep());
    // retention goes through the events by id and stops at young ones, which other specs may have left in a shared
    // store
    await store.dataSource.manager.deleteAll(LoggedEvent);
    const old = await record(5_000, hoursAgo(25));
    const young = await record(3, hoursAgo(23));
    const pending = [old[0], old[2_500], old[4_999]] as number[];
    await insertRows(
      store,
      Delivery,
      pending.map((eventId) => ({ targetId: 'x', eventId, attempt: 1, nextAt: hoursAgo(-1) })),
    );
    expect(await retention.sweep()).toBe(4_997);
    const left = await rowsOf(store, LoggedEvent, { room: 'retention' });
    expect(left.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([...pending, ...young]);
    clock.advance(2 * 3_600_000);
    expect(await retention.sweep()).toBe(3);
  });

  it('leaves the work to another replica that is already doing it', async () => {
    const { db, clock } = store.process();
    const retention = new Retention(db, clock, { eventRetentionHours: 1 }, new Upkeep());
    await record(1, hoursAgo(2));
    if (store.info.embedded) {
      // the embedded database has one session, so it gets the lock itself
      expect(await retention.sweep()).toBe(1);
      return;
    }
    const runner = store.dataSource.createQueryRunner();
    await runner.query('SELECT pg_advisory_lock(7430217)');
    expect(await retention.sweep()).toBe(0);
    await runner.query('SELECT pg_advisory_unlock(7430217)');
    await runner.release();
    expect(await retention.sweep()).toBe(1);
  });
});
