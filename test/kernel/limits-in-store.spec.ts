import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Clock } from '../../src/kernel/clock/clock.js';
import { statement } from '../../src/kernel/database/statement.js';
import type { Limits, Policy, TakeProven } from '../../src/kernel/limits/limits.js';
import { StoreLimits } from '../../src/kernel/limits/store-limits.js';
import { bucket, newKey, times, window } from './limits-model.js';
import { type LimitsStore, openStores, type OpenStores, StillClock, STORES, useStillStores } from './limits-stores.js';

const stillStore = useStillStores();

describe.each(STORES)('StoreLimits (%s)', (kind) => {
  const ROWS = statement(
    'limits_spec_rows',
    `SELECT key, pg_column_size(w.*)::int AS size, cardinality(at) AS slots FROM rate_windows w WHERE key = $1`,
  );
  const COUNT = statement(
    'limits_spec_count',
    `SELECT ((SELECT count(*) FROM rate_windows WHERE key LIKE $1) + (SELECT count(*) FROM rate_buckets WHERE key LIKE $1))::int AS n`,
  );

  const store = (): LimitsStore => stillStore(kind);

  it('keeps a row small, however large the limit and the traffic', async () => {
    const clock = new StillClock();
    const limits = new StoreLimits(store(), clock);
    const key = newKey();
    for (let i = 0; i < 250; i++) {
      await limits.take(key, window(100_000_000));
      clock.advance(301);
    }
    const [row] = await store().run<{ size: number; slots: number }>(ROWS, [key]);
    expect(row?.slots).toBeLessThanOrEqual(66);
    expect(row?.size).toBeLessThan(1_300);
  });

  it('deletes expired rows over several pages, and no others', async () => {
    const clock = new StillClock();
    const limits = new StoreLimits(store(), clock);
    const prefix = newKey();
    await Promise.all(times(50, (i) => limits.take(`${prefix} w${i}`, window(5))));
    await Promise.all(times(50, (i) => limits.take(`${prefix} b${i}`, bucket(60, 1), 60)));
    clock.advance(59_999);
    await Promise.all(times(10, (i) => limits.take(`${prefix} w${i}`, window(5))));
    await limits.sweep(7);
    expect(await store().run(COUNT, [`${prefix}%`])).toEqual([{ n: 100 }]);
    clock.advance(1);
    await limits.sweep(7);
    expect(await store().run(COUNT, [`${prefix}%`])).toEqual([{ n: 10 }]);
    clock.advance(60_000);
    expect(await limits.sweep()).toBeGreaterThanOrEqual(10);
    expect(await store().run(COUNT, [`${prefix}%`])).toEqual([{ n: 0 }]);
  });

  it('sweeps on one replica at a time, again after a minute, and not after it is stopped', async () => {
    const clock = new StillClock();
    const prefix = newKey();
    const sweeps: string[] = [];
    const replicas = ['a', 'b'].map((name) => {
      const run: LimitsStore['run'] = (s, values) => {
        if (s.name === 'limits_sweep_rate_windows') sweeps.push(name);
        return store().run(s, values);
      };
      return new StoreLimits({ run }, clock);
    });
    const sweep = (stopped: boolean): Promise<unknown> =>
      Promise.all(replicas.map((replica) => replica.sweepInTurn(() => stopped)));
    await replicas[0]?.take(`${prefix} w`, window(5));
    clock.advance(60_000);
    await sweep(true);
    expect(sweeps).toEqual([]);
    expect(await store().run(COUNT, [`${prefix}%`])).toEqual([{ n: 1 }]);
    clock.advance(60_000);
    await sweep(false);
    expect(new Set(sweeps).size).toBe(1);
    expect(await store().run(COUNT, [`${prefix}%`])).toEqual([{ n: 0 }]);
    const swept = sweeps.length;
    await sweep(false);
    expect(sweeps).toHaveLength(swept);
    clock.advance(60_000);
    await sweep(false);
    expect(sweeps.length).toBeGreaterThan(swept);
  });

  it('fails only the callers of a failed statement, and serves the next ones', async () => {
    const failing = Object.assign(new Error('deadlock detected'), { code: '40P01' });
    let failures = 20;
    const limits = new StoreLimits(
      { run: (s, values) => (failures-- > 0 ? Promise.reject(failing) : store().run(s, values)) },
      new StillClock(),
    );
    const key = newKey();
    const first = await Promise.allSettled([limits.take(key, window(5)), limits.take(newKey(), window(5))]);
    expect(first.map((one) => one.status)).toEqual(['rejected', 'rejected']);
    failures = 3;
    expect(await limits.take(key, window(5))).toMatchObject({ allowed: true, remaining: 4 });
  });

  describe('two replicas on one store, with its real clock', () => {
    let real: OpenStores;
    beforeAll(async () => {
      real = await openStores(kind, { still: false });
    });
    afterAll(() => real.close());

    const replicas = (): StoreLimits[] => real.stores.map((replica) => new StoreLimits(replica, new Clock()));

    it('allow exactly as many calls as one would', async () => {
      const both = replicas();
      const names = times(12, newKey);
      const calls = times(60, (i) => names.map((key) => ({ limits: both[i % 2] as StoreLimits, key }))).flat();
      const windows = await Promise.all(calls.map(({ limits, key }) => limits.take(key, window(37, 600_000))));
      const buckets = await Promise.all(calls.map(({ limits, key }) => limits.take(key, bucket(35, 1e-6))));
      expect(windows.filter((one) => one.allowed)).toHaveLength(12 * 37);
      expect(buckets.filter((one) => one.allowed)).toHaveLength(12 * 35);
      expect(windows.every((one) => one.remaining >= 0 && one.allowed === (one.retryAfterMs === 0))).toBe(true);
    });

    it('lose no count in a sweep under load', async () => {
      const both = replicas();
      const names = times(20, newKey);
      const sweeps = times(20, (i) => (both[i % 2] as StoreLimits).sweep(5));
      const takes = times(40, (i) =>
        names.map((key) => (both[i % 2] as StoreLimits).take(key, window(25, 600_000))),
      ).flat();
      const taken = await Promise.all(takes);
      await Promise.all(sweeps);
      expect(taken.filter((one) => one.allowed)).toHaveLength(20 * 25);
    });
  });
});

describe.each(STORES)('StoreLimits (%s) with a proof', (kind) => {
  interface Claim {
    readonly says: boolean;
    readonly number: number;
  }
  /** Proves claims that hold; a claim that does not has no row. */
  const proving = (limits: Limits) =>
    limits.proving<Claim>({
      name: 'of_tests',
      sql: (first) =>
        `SELECT r.n, r.says AS holds
         FROM unnest($${first}::boolean[], $${first + 1}::bigint[]) WITH ORDINALITY AS r (says, number, n)
         WHERE r.number >= 0`,
      values: (claims) => [claims.map(({ says }) => says), claims.map(({ number }) => number)],
    }) as TakeProven<Claim>;
  const policies: [string, Policy][] = [
    ['window', window(3)],
    ['bucket', bucket(3, 1)],
  ];

  it.each(policies)('takes from a %s only when the proof holds', async (_kind, policy) => {
    const limits = new StoreLimits(stillStore(kind), new StillClock());
    const take = proving(limits);
    const [key, other] = [newKey(), newKey()];
    const yes: Claim = { says: true, number: 7 };
    const no: Claim = { says: false, number: 8 };
    const nobody: Claim = { says: true, number: -1 };
    const holding = (remaining: number, allowed = true) =>
      expect.objectContaining({ holds: true, taken: expect.objectContaining({ allowed, remaining }) });
    // one statement with more takes than keys, and more keys than proofs
    const taken = await Promise.all([
      take(key, policy, yes),
      take(other, policy, yes),
      ...[no, yes, nobody, yes, no, yes].map((claim) => take(key, policy, claim)),
      take(newKey(), policy, no),
    ]);
    expect(taken).toEqual([
      holding(2),
      holding(2),
      { holds: false },
      holding(1),
      { holds: false },
      holding(0),
      { holds: false },
      holding(0, false),
      { holds: false },
    ]);
    // takes without a proof use the same count
    expect(await limits.take(other, policy)).toMatchObject({ allowed: true, remaining: 1 });
    expect(await limits.take(key, policy)).toMatchObject({ allowed: false });
  });

  it('answers more proofs than keys', async () => {
    const take = proving(new StoreLimits(stillStore(kind), new StillClock()));
    const key = newKey();
    const taken = await Promise.all(times(9, (i) => take(key, window(100), { says: i % 2 === 0, number: i })));
    expect(taken.map((one) => (one.holds ? one.taken.remaining : null))).toEqual([
      99,
      null,
      98,
      null,
      97,
      null,
      96,
      null,
      95,
    ]);
  });
});
