import { describe, expect, it } from 'vitest';
import { Upkeep } from '../../src/kernel/database/upkeep.js';
import { Retention } from '../../src/webhooks/retention.js';
import { useBareStore } from '../support/bare-store.js';

describe('retention', () => {
  const store = useBareStore();

  it('deletes old events in batches, keeps young ones and those that are still to be delivered', async () => {
    const { db, clock } = store.process();
    const retention = new Retention(db, clock, { eventRetentionHours: 24 }, new Upkeep());
    // what other specs left in a shared store stands before, and is young
    await store.dataSource.query('DELETE FROM events');
    const add = async (n: number, age: string): Promise<number[]> => {
      const rows = (await store.dataSource.query(
        `INSERT INTO events (tenant_id, product, kind, room, data, recorded_at)
         SELECT 1, 'chat', 'message', 'retention', '{}', clock_timestamp() - $2::interval FROM generate_series(1, $1::int) RETURNING id`,
        [n, age],
      )) as { id: number }[];
      return rows.map(({ id }) => id);
    };
    const old = await add(5_000, '25 hours');
    const young = await add(3, '23 hours');
    const pending = [old[0], old[2_500], old[4_999]] as number[];
    await store.dataSource.query(
      `INSERT INTO deliveries (target_id, event_id, attempt, next_at) SELECT 'x', unnest($1::bigint[]), 1, now() + interval '1 hour'`,
      [pending],
    );
    expect(await retention.sweep()).toBe(4_997);
    const left = (await store.dataSource.query(`SELECT id FROM events WHERE room = 'retention' ORDER BY id`)) as {
      id: number;
    }[];
    expect(left.map(({ id }) => id)).toEqual([...pending, ...young]);
    clock.advance(2 * 3_600_000);
    expect(await retention.sweep()).toBe(3);
  });

  it('leaves the work to another replica that is at it', async () => {
    const { db, clock } = store.process();
    const retention = new Retention(db, clock, { eventRetentionHours: 1 }, new Upkeep());
    await store.dataSource.query(
      `INSERT INTO events (tenant_id, product, kind, room, data, recorded_at)
       VALUES (1, 'chat', 'message', 'retention', '{}', now() - interval '2 hours')`,
    );
    if (store.info.embedded) {
      // one session, which has every lock
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
