import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Clock } from '../../src/kernel/clock/clock.js';
import { statement } from '../../src/kernel/database/statement.js';
import {
  type BucketPolicy,
  Limits,
  type Policy,
  scaled,
  type Taken,
  type TakeProven,
  type WindowPolicy,
} from '../../src/kernel/limits/limits.js';
import { MemoryLimits } from '../../src/kernel/limits/memory-limits.js';
import { StoreLimits } from '../../src/kernel/limits/store-limits.js';
import { type LimitsStore, openStores, type OpenStores, STILL, StillClock, STORES } from './limits-stores.js';

const window = (limit: number, windowMs = 60_000): WindowPolicy => ({ kind: 'window', limit, windowMs });
const bucket = (capacity: number, refillPerSecond: number): BucketPolicy => ({
  kind: 'bucket',
  capacity,
  refillPerSecond,
});

let keys = 0;
const newKey = (): string => `key ${keys++}`;
const allowed = (taken: Taken[]): boolean[] => taken.map((one) => one.allowed);
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

/** Numbers that look random and are the same in every run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The contract's sentences, written down as slowly as they are said. */
class Model {
  private readonly accepted = new Map<string, number[]>();
  private readonly buckets = new Map<string, { level: number; at: number }>();

  take(key: string, policy: Policy, cost: number, nowMs: number): Taken {
    return policy.kind === 'window' ? this.window(key, policy, cost, nowMs) : this.bucket(key, policy, cost, nowMs);
  }

  private window(key: string, { limit, windowMs }: WindowPolicy, cost: number, nowMs: number): Taken {
    const calls = (this.accepted.get(key) ?? []).filter((at) => at > nowMs - windowMs);
    const fits = calls.length + cost <= limit;
    // the first moment at which enough of the calls have left
    const leaves = calls
      .map((at) => at + windowMs)
      .find((then) => calls.filter((at) => at > then - windowMs).length + cost <= limit);
    if (fits) calls.push(...times(cost, () => nowMs));
    this.accepted.set(key, calls);
    return {
      allowed: fits,
      remaining: limit - calls.length,
      retryAfterMs: fits ? 0 : (leaves ?? nowMs + windowMs) - nowMs,
    };
  }

  private bucket(key: string, { capacity, refillPerSecond }: BucketPolicy, cost: number, nowMs: number): Taken {
    const found = this.buckets.get(key) ?? { level: capacity, at: nowMs };
    let level = Math.min(capacity, found.level + ((nowMs - found.at) / 1000) * refillPerSecond);
    const fits = cost <= level;
    if (fits) level -= cost;
    this.buckets.set(key, { level, at: nowMs });
    return {
      allowed: fits,
      remaining: Math.floor(level),
      retryAfterMs: fits ? 0 : Math.ceil(((cost - level) / refillPerSecond) * 1000),
    };
  }
}

/** The stores whose clock stands still. */
const still = new Map<string, OpenStores>();
const stillStore = (kind: string): LimitsStore => (still.get(kind) as OpenStores).stores[0];
beforeAll(async () => {
  for (const kind of STORES) still.set(kind, await openStores(kind, { still: true }));
});
afterAll(async () => {
  for (const store of still.values()) await store.close();
});

describe.each<[string, (clock: Clock) => Limits]>([
  ['MemoryLimits', (clock) => new MemoryLimits(clock)],
  ...STORES.map((kind): [string, (clock: Clock) => Limits] => [
    `StoreLimits (${kind})`,
    (clock) => new StoreLimits(stillStore(kind), clock),
  ]),
])('%s', (_, make) => {
  let clock: Clock;
  let limits: Limits;
  beforeEach(() => {
    clock = new StillClock();
    limits = make(clock);
  });

  describe('a sliding window', () => {
    it('lets `limit` calls through and says when the oldest leaves', async () => {
      const key = newKey();
      expect(await limits.take(key, window(2))).toEqual({ allowed: true, remaining: 1, retryAfterMs: 0 });
      clock.advance(10_000);
      expect(await limits.take(key, window(2))).toEqual({ allowed: true, remaining: 0, retryAfterMs: 0 });
      clock.advance(20_000);
      expect(await limits.take(key, window(2))).toEqual({ allowed: false, remaining: 0, retryAfterMs: 30_000 });
      clock.advance(29_999.999);
      expect(await limits.take(key, window(2))).toEqual({ allowed: false, remaining: 0, retryAfterMs: 1 });
      clock.advance(0.001);
      expect(await limits.take(key, window(2))).toEqual({ allowed: true, remaining: 0, retryAfterMs: 0 });
      expect(await limits.take(key, window(2))).toEqual({ allowed: false, remaining: 0, retryAfterMs: 10_000 });
    });

    it('does not count refused calls', async () => {
      const key = newKey();
      await limits.take(key, window(1));
      for (let i = 0; i < 5; i++) {
        clock.advance(10_000);
        expect(await limits.take(key, window(1))).toEqual({
          allowed: false,
          remaining: 0,
          retryAfterMs: 50_000 - i * 10_000,
        });
      }
      clock.advance(10_000);
      expect((await limits.take(key, window(1))).allowed).toBe(true);
    });

    it('grants takes that arrive together in their order', async () => {
      const key = newKey();
      const taken = await Promise.all(times(5, () => limits.take(key, window(3))));
      expect(taken.map((one) => one.remaining)).toEqual([2, 1, 0, 0, 0]);
      expect(allowed(taken)).toEqual([true, true, true, false, false]);
    });

    it('judges costs of several calls, each by itself', async () => {
      const key = newKey();
      const taken = await Promise.all([4, 7, 6, 1, 0].map((cost) => limits.take(key, window(10), cost)));
      expect(taken).toEqual([
        { allowed: true, remaining: 6, retryAfterMs: 0 },
        { allowed: false, remaining: 6, retryAfterMs: 60_000 },
        { allowed: true, remaining: 0, retryAfterMs: 0 },
        { allowed: false, remaining: 0, retryAfterMs: 60_000 },
        { allowed: true, remaining: 0, retryAfterMs: 0 },
      ]);
    });

    it('keeps the count when the limit changes, and never answers a negative rest', async () => {
      const key = newKey();
      const [first, second, third] = await Promise.all([
        limits.take(key, window(10), 8),
        limits.take(key, window(5)),
        limits.take(key, window(20), 12),
      ]);
      expect(first).toMatchObject({ allowed: true, remaining: 2 });
      expect(second).toEqual({ allowed: false, remaining: 0, retryAfterMs: 60_000 });
      expect(third).toMatchObject({ allowed: true, remaining: 0 });
    });

    it('refuses a cost above the limit for as long as everything takes to leave', async () => {
      const key = newKey();
      expect(await limits.take(key, window(3), 4)).toEqual({ allowed: false, remaining: 3, retryAfterMs: 60_000 });
      expect(await limits.take(key, window(3), 3)).toMatchObject({ allowed: true });
    });

    it('refuses a cost that is not a count', async () => {
      for (const cost of [-1, 0.5, Number.NaN]) {
        await expect(limits.take(newKey(), window(3), cost)).rejects.toThrow(RangeError);
      }
    });

    it('counts exactly to a limit of 1,000, with calls in 200 moments', async () => {
      const key = newKey();
      for (let i = 0; i < 200; i++) {
        await limits.take(key, window(1_000), 5);
        clock.advance(50);
      }
      expect(await limits.take(key, window(1_000))).toEqual({ allowed: false, remaining: 0, retryAfterMs: 50_000 });
      clock.advance(50_000 + 50 * 99);
      const taken = await Promise.all(times(501, () => limits.take(key, window(1_000))));
      expect(taken.filter((one) => one.allowed)).toHaveLength(500);
      expect(taken.at(-1)).toEqual({ allowed: false, remaining: 0, retryAfterMs: 50 });
    });

    it('is never too generous with a large limit, and at most 1/64 of the window too strict', async () => {
      const key = newKey();
      const limit = 100_000;
      for (let i = 0; i < 100; i++) {
        expect((await limits.take(key, window(limit), 1_000)).allowed).toBe(true);
        clock.advance(200);
      }
      const refused = await limits.take(key, window(limit));
      expect(refused).toMatchObject({ allowed: false, remaining: 0 });
      expect(refused.retryAfterMs).toBeGreaterThanOrEqual(40_000);
      expect(refused.retryAfterMs).toBeLessThanOrEqual(40_000 + 60_000 / 64);
      clock.advance(refused.retryAfterMs);
      expect((await limits.take(key, window(limit))).allowed).toBe(true);
    });
  });

  describe('a bucket', () => {
    it('is full at first and refills continuously', async () => {
      const key = newKey();
      const burst = await Promise.all(times(6, () => limits.take(key, bucket(5, 1))));
      expect(burst.map((one) => one.remaining)).toEqual([4, 3, 2, 1, 0, 0]);
      expect(burst[5]).toEqual({ allowed: false, remaining: 0, retryAfterMs: 1_000 });
      clock.advance(999);
      expect(await limits.take(key, bucket(5, 1))).toEqual({ allowed: false, remaining: 0, retryAfterMs: 1 });
      clock.advance(1);
      expect(await limits.take(key, bucket(5, 1))).toEqual({ allowed: true, remaining: 0, retryAfterMs: 0 });
      clock.advance(3_600_000);
      expect(await limits.take(key, bucket(5, 1))).toMatchObject({ allowed: true, remaining: 4 });
    });

    it('takes nothing for a refused cost, and says when the cost fits', async () => {
      const key = newKey();
      const points = bucket(3_000_000, 3_000_000 / 3_600);
      expect(await limits.take(key, points, 2_999_000)).toMatchObject({ allowed: true, remaining: 1_000 });
      expect(await limits.take(key, points, 10_000)).toEqual({
        allowed: false,
        remaining: 1_000,
        retryAfterMs: 10_800,
      });
      expect(await limits.take(key, points, 1_000)).toMatchObject({ allowed: true, remaining: 0 });
      clock.advance(11_999);
      expect(await limits.take(key, points, 10_000)).toEqual({ allowed: false, remaining: 9_999, retryAfterMs: 1 });
      clock.advance(1);
      expect(await limits.take(key, points, 10_000)).toMatchObject({ allowed: true, remaining: 0 });
    });

    it('gives the whole of an awkward allowance, and no more', async () => {
      const key = newKey();
      const requests = bucket(5_000, 5_000 / 3_600);
      for (let i = 0; i < 50; i++) await Promise.all(times(100, () => limits.take(key, requests)));
      expect(await limits.take(key, requests)).toEqual({ allowed: false, remaining: 0, retryAfterMs: 720 });
      clock.advance(720);
      expect(await limits.take(key, requests)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await limits.take(key, requests)).toMatchObject({ allowed: false, remaining: 0 });
    });

    it('judges different costs that arrive together in their order', async () => {
      const key = newKey();
      const taken = await Promise.all([60, 50, 30, 11, 10, 0].map((cost) => limits.take(key, bucket(100, 10), cost)));
      expect(taken).toEqual([
        { allowed: true, remaining: 40, retryAfterMs: 0 },
        { allowed: false, remaining: 40, retryAfterMs: 1_000 },
        { allowed: true, remaining: 10, retryAfterMs: 0 },
        { allowed: false, remaining: 10, retryAfterMs: 100 },
        { allowed: true, remaining: 0, retryAfterMs: 0 },
        { allowed: true, remaining: 0, retryAfterMs: 0 },
      ]);
    });

    it('takes back what is given back, up to its capacity', async () => {
      const key = newKey();
      await limits.take(key, bucket(10, 1), 7);
      expect(await limits.take(key, bucket(10, 1), -4)).toEqual({ allowed: true, remaining: 7, retryAfterMs: 0 });
      expect(await limits.take(key, bucket(10, 1), -4)).toMatchObject({ remaining: 10 });
      expect(await limits.take(key, bucket(10, 1), 1)).toMatchObject({ remaining: 9 });
    });

    it('refuses a cost above the capacity, with a wait that is not zero', async () => {
      expect(await limits.take(newKey(), bucket(10, 2), 11)).toEqual({
        allowed: false,
        remaining: 10,
        retryAfterMs: 5_000,
      });
    });
  });

  it('keeps a window and a bucket of one name apart', async () => {
    const key = newKey();
    expect((await limits.take(key, window(1))).allowed).toBe(true);
    expect((await limits.take(key, bucket(1, 1))).allowed).toBe(true);
    expect((await limits.take(key, window(1))).allowed).toBe(false);
  });

  it('answers as the contract reads, over hundreds of mixed calls at once', async () => {
    const roll = dice(7);
    const model = new Model();
    const prefix = newKey();
    const policies = [window(1), window(20), window(50, 7_000), bucket(5, 1), bucket(40, 8)];
    for (let round = 0; round < 120; round++) {
      const calls = times(1 + roll(40), () => {
        const which = roll(policies.length);
        const policy = policies[which] as Policy;
        const cost = roll(4) === 0 ? roll(6) : 1;
        return {
          key: `${prefix} ${which} ${roll(3)}`,
          policy,
          cost: cost === 0 ? 1 : Math.min(cost, which === 0 ? 1 : 5),
        };
      });
      const nowMs = (STILL + clock.offsetMicros) / 1000;
      const expected = calls.map((call) => model.take(call.key, call.policy, call.cost, nowMs));
      const answered = await Promise.all(calls.map((call) => limits.take(call.key, call.policy, call.cost)));
      expect(answered).toEqual(expected);
      clock.advance(125 * roll(40));
    }
  });
});

describe('MemoryLimits', () => {
  it('forgets keys that have expired, without a timer', async () => {
    const clock = new StillClock();
    const limits = new MemoryLimits(clock);
    let most = 0;
    for (let i = 0; i < 20_000; i++) {
      await limits.take(`w${i}`, window(5, 1_000));
      await limits.take(`b${i}`, bucket(5, 5));
      clock.advance(10); // 100 windows live at once, and 20 buckets
      most = Math.max(most, limits.size);
    }
    expect(most).toBeLessThan(300);
  });
});

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

  it('keeps a row small however large the limit and the traffic', async () => {
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

  it('sweeps what has expired, over pages, and nothing else', async () => {
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

  it('sweeps by one replica at a time, again a minute later, and not on when it is stopped', async () => {
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

  it('fails the callers of a failed statement only, and serves the next', async () => {
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

    it('let through exactly what one would', async () => {
      const both = replicas();
      const names = times(12, newKey);
      const calls = times(60, (i) => names.map((key) => ({ limits: both[i % 2] as StoreLimits, key }))).flat();
      const windows = await Promise.all(calls.map(({ limits, key }) => limits.take(key, window(37, 600_000))));
      const buckets = await Promise.all(calls.map(({ limits, key }) => limits.take(key, bucket(35, 1e-6))));
      expect(windows.filter((one) => one.allowed)).toHaveLength(12 * 37);
      expect(buckets.filter((one) => one.allowed)).toHaveLength(12 * 35);
      expect(windows.every((one) => one.remaining >= 0 && one.allowed === (one.retryAfterMs === 0))).toBe(true);
    });

    it('survive a sweep under load without losing a count', async () => {
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

describe('scaled', () => {
  it('multiplies every allowance, rounded down but at least 1', () => {
    expect(scaled(window(50), 1.5)).toEqual(window(75));
    expect(scaled(window(20), 0.01)).toEqual(window(1));
    expect(scaled(window(100), 0.29)).toEqual(window(29));
    expect(scaled(bucket(5, 1), 2.5)).toEqual(bucket(12, 2));
    expect(scaled(bucket(5, 1), 0.5)).toEqual(bucket(2, 1));
  });

  it('turns allowances off with 0', () => {
    expect(scaled(window(50), 0)).toBeNull();
  });
});

describe.each(STORES)('StoreLimits (%s) with a proof', (kind) => {
  interface Claim {
    readonly says: boolean;
    readonly number: number;
  }
  /** Holds where a claim says so; of what claims nothing there is no row. */
  const proving = (limits: Limits) =>
    limits.proving<Claim>({
      name: 'of_tests',
      sql: (first) =>
        `SELECT r.n, r.says AS holds, r.number AS fresh
         FROM unnest($${first}::boolean[], $${first + 1}::bigint[]) WITH ORDINALITY AS r (says, number, n)
         WHERE r.number >= 0`,
      values: (claims) => [claims.map(({ says }) => says), claims.map(({ number }) => number)],
    }) as TakeProven<Claim>;
  const policies: [string, Policy][] = [
    ['window', window(3)],
    ['bucket', bucket(3, 1)],
  ];

  it.each(policies)('takes from a %s only where it holds', async (_kind, policy) => {
    const limits = new StoreLimits(stillStore(kind), new StillClock());
    const take = proving(limits);
    const [key, other] = [newKey(), newKey()];
    const yes: Claim = { says: true, number: 7 };
    const no: Claim = { says: false, number: 8 };
    const nobody: Claim = { says: true, number: -1 };
    const holding = (remaining: number, allowed = true) =>
      expect.objectContaining({ holds: true, fresh: 7, taken: expect.objectContaining({ allowed, remaining }) });
    // in one statement: more takes than keys, more keys than proofs
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
    // one count with takes that need no proof
    expect(await limits.take(other, policy)).toMatchObject({ allowed: true, remaining: 1 });
    expect(await limits.take(key, policy)).toMatchObject({ allowed: false });
  });

  it('answers more proofs than keys', async () => {
    const take = proving(new StoreLimits(stillStore(kind), new StillClock()));
    const key = newKey();
    const taken = await Promise.all(times(9, (i) => take(key, window(100), { says: i % 2 === 0, number: i })));
    expect(taken.map((one) => (one.holds ? [one.fresh, one.taken.remaining] : null))).toEqual([
      [0, 99],
      null,
      [2, 98],
      null,
      [4, 97],
      null,
      [6, 96],
      null,
      [8, 95],
    ]);
  });
});
