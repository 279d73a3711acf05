import { describe, expect, it } from 'vitest';
import { batchStatement } from '../../src/kernel/database/batch-statement.js';
import { BatchedWrites, type BatchedRow } from '../../src/kernel/events/batched-writes.js';
import { SANDBOX_LOCK } from '../../src/kernel/database/sandbox-lock.js';
import { useApp } from '../support/app.js';
import { holding, waitingForLocks } from '../support/locks.js';
import { eventually } from '../support/receiver.js';

/** Locks the tenant of each row, divides a hundred by its number, and says how large its batch was. */
const BATCH = batchStatement(
  'tests_batch',
  { divisor: 'bigint' },
  (req, lock) => `WITH ${req},
   locked AS MATERIALIZED (SELECT id FROM tenants WHERE id IN (SELECT tenant_id FROM req) ORDER BY id ${lock})
   SELECT r.n, CASE WHEN l.id IS NULL THEN 'again' ELSE 'done' END AS outcome, 100 / r.divisor AS quotient,
     (SELECT count(*)::int FROM req) AS size, NULL::text[] AS queued
   FROM req r LEFT JOIN locked l ON l.id = r.tenant_id`,
  { keeps: 'callers' },
);

/** The same without the lock, which two batches of one tenant would take from one another. */
const UNLOCKED = batchStatement(
  'tests_batch_unlocked',
  { divisor: 'bigint' },
  (req) => `WITH ${req}
   SELECT r.n, 'done' AS outcome, 100 / r.divisor AS quotient, (SELECT count(*)::int FROM req) AS size, NULL::text[] AS queued
   FROM req r`,
  { keeps: 'callers' },
);

interface Row extends BatchedRow {
  readonly quotient: number;
  readonly size: number;
}

describe('batches of writes', () => {
  const app = useApp();

  /** An operation, and some tenants. */
  async function setUp(
    batch = BATCH,
  ): Promise<{ ids: number[]; divide: (tenantId: number, by?: number) => Promise<Row> }> {
    const spaces = await Promise.all([app.workspace(), app.workspace(), app.workspace()]);
    const verb = app.nest
      .get(BatchedWrites)
      .verb(batch, { name: 'tests.divide', together: ({ divisor }) => String(divisor) });
    return {
      ids: spaces.map(({ tenantId }) => tenantId),
      divide: (tenantId, divisor = 4) => verb<Row>(tenantId, { divisor }),
    };
  }

  it('are shared by the first calls of several tenants, and a tenant with more has its own for those', async () => {
    const { ids, divide } = await setUp(UNLOCKED);
    const [first, second, third] = ids as [number, number, number];
    const answers = await Promise.all([first, second, third, third, third].map((id) => divide(id)));
    expect(answers.map(({ outcome, size }) => [outcome, size])).toEqual([
      ['done', 3],
      ['done', 3],
      ['done', 3],
      ['done', 2],
      ['done', 2],
    ]);
    expect((await divide(third)).size).toBe(1);
  });

  it('wait for no lock of another tenant', async (context) => {
    context.skip(!app.store.isConcurrent, 'PGlite has one session');
    const { ids, divide } = await setUp();
    const [held, free] = ids as [number, number];
    const { dataSource } = app.store;
    const release = await holding(dataSource, 'SELECT FROM tenants WHERE id = $1 FOR UPDATE', [held]);
    let isAnswered = false;
    const waiting = divide(held).finally(() => (isAnswered = true));
    try {
      // in the batch that both shared
      expect(await divide(free)).toMatchObject({ outcome: 'done', quotient: 25, size: 2 });
      await eventually(
        async () => (await waitingForLocks(dataSource)) > 0,
        'the other one waits for the lock, in a batch of its own',
      );
      expect(isAnswered).toBe(false);
    } finally {
      await release();
    }
    expect(await waiting).toMatchObject({ outcome: 'done', size: 1 });
  });

  it('leave out a tenant that is being reset', async (context) => {
    context.skip(!app.store.isConcurrent, 'PGlite has one session');
    const { ids, divide } = await setUp();
    const release = await holding(app.store.dataSource, 'SELECT pg_advisory_xact_lock($1, $2)', [SANDBOX_LOCK, ids[0]]);
    try {
      // its own batch is not stopped here, as it changes nothing
      expect((await Promise.all(ids.map((id) => divide(id)))).map(({ size }) => size)).toEqual([1, 2, 2]);
    } finally {
      await release();
    }
  });

  it('fail for the tenant alone whose row fails', async () => {
    const { ids, divide } = await setUp();
    const [bad, good, another] = ids as [number, number, number];
    const answers = await Promise.allSettled([divide(bad, 0), divide(good), divide(another, 5)]);
    expect(answers).toMatchObject([
      { status: 'rejected', reason: { message: expect.stringContaining('division by zero') as string } },
      { status: 'fulfilled', value: { outcome: 'done', quotient: 25 } },
      { status: 'fulfilled', value: { outcome: 'done', quotient: 20 } },
    ]);
  });
});
