import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/kernel/clock/clock.js';
import { type Limits, type Policy, scaled } from '../../src/kernel/limits/limits.js';
import { MemoryLimits } from '../../src/kernel/limits/memory-limits.js';
import { StoreLimits } from '../../src/kernel/limits/store-limits.js';
import { allowed, bucket, dice, Model, newKey, times, window } from './limits-model.js';
import { STILL, StillClock, STORES, useStillStores } from './limits-stores.js';

const stillStore = useStillStores();

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
    it('allows `limit` calls and answers when the oldest leaves', async () => {
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

    it('grants concurrent takes in their order', async () => {
      const key = newKey();
      const taken = await Promise.all(times(5, () => limits.take(key, window(3))));
      expect(taken.map((one) => one.remaining)).toEqual([2, 1, 0, 0, 0]);
      expect(allowed(taken)).toEqual([true, true, true, false, false]);
    });

    it('decides each of several calls with a cost separately', async () => {
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

    it('keeps the count when the limit changes, and never answers a negative remainder', async () => {
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

    it('refuses a cost above the limit until everything would have left', async () => {
      const key = newKey();
      expect(await limits.take(key, window(3), 4)).toEqual({ allowed: false, remaining: 3, retryAfterMs: 60_000 });
      expect(await limits.take(key, window(3), 3)).toMatchObject({ allowed: true });
    });

    it('refuses a cost that is not a count', async () => {
      for (const cost of [-1, 0.5, Number.NaN]) {
        await expect(limits.take(newKey(), window(3), cost)).rejects.toThrow(RangeError);
      }
    });

    it('counts exactly up to a limit of 1,000, with calls at 200 different times', async () => {
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

    it('never allows too much with a large limit, and at most 1/64 of the window too little', async () => {
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

    it('allows the whole of an odd capacity, and no more', async () => {
      const key = newKey();
      const requests = bucket(5_000, 5_000 / 3_600);
      for (let i = 0; i < 50; i++) await Promise.all(times(100, () => limits.take(key, requests)));
      expect(await limits.take(key, requests)).toEqual({ allowed: false, remaining: 0, retryAfterMs: 720 });
      clock.advance(720);
      expect(await limits.take(key, requests)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await limits.take(key, requests)).toMatchObject({ allowed: false, remaining: 0 });
    });

    it('decides concurrent takes of different costs in their order', async () => {
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

    it('accepts a refund, up to its capacity', async () => {
      const key = newKey();
      await limits.take(key, bucket(10, 1), 7);
      expect(await limits.take(key, bucket(10, 1), -4)).toEqual({ allowed: true, remaining: 7, retryAfterMs: 0 });
      expect(await limits.take(key, bucket(10, 1), -4)).toMatchObject({ remaining: 10 });
      expect(await limits.take(key, bucket(10, 1), 1)).toMatchObject({ remaining: 9 });
    });

    it('refuses a cost above the capacity, with a wait above zero', async () => {
      expect(await limits.take(newKey(), bucket(10, 2), 11)).toEqual({
        allowed: false,
        remaining: 10,
        retryAfterMs: 5_000,
      });
    });
  });

  it('keeps a window and a bucket of the same name separate', async () => {
    const key = newKey();
    expect((await limits.take(key, window(1))).allowed).toBe(true);
    expect((await limits.take(key, bucket(1, 1))).allowed).toBe(true);
    expect((await limits.take(key, window(1))).allowed).toBe(false);
  });

  it('matches the documented rules over hundreds of mixed concurrent calls', async () => {
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

describe('scaled', () => {
  it('multiplies every limit, rounded down but at least 1', () => {
    expect(scaled(window(50), 1.5)).toEqual(window(75));
    expect(scaled(window(20), 0.01)).toEqual(window(1));
    expect(scaled(window(100), 0.29)).toEqual(window(29));
    expect(scaled(bucket(5, 1), 2.5)).toEqual(bucket(12, 2));
    expect(scaled(bucket(5, 1), 0.5)).toEqual(bucket(2, 1));
  });

  it('turns limits off with 0', () => {
    expect(scaled(window(50), 0)).toBeNull();
  });
});
