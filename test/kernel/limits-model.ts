import type { BucketPolicy, Policy, TakeResult, WindowPolicy } from '../../src/kernel/limits/limits.js';

export const window = (limit: number, windowMs = 60_000): WindowPolicy => ({ kind: 'window', limit, windowMs });
export const bucket = (capacity: number, refillPerSecond: number): BucketPolicy => ({
  kind: 'bucket',
  capacity,
  refillPerSecond,
});

let keys = 0;
export const newKey = (): string => `key ${keys++}`;
export const allowed = (taken: TakeResult[]): boolean[] => taken.map((one) => one.allowed);
export const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

/** Pseudo-random numbers that are the same in every run. */
export function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The documented rules of limits, implemented in the simplest way. */
export class Model {
  private readonly accepted = new Map<string, number[]>();
  private readonly buckets = new Map<string, { level: number; at: number }>();

  take(key: string, policy: Policy, cost: number, nowMs: number): TakeResult {
    return policy.kind === 'window' ? this.window(key, policy, cost, nowMs) : this.bucket(key, policy, cost, nowMs);
  }

  private window(key: string, { limit, windowMs }: WindowPolicy, cost: number, nowMs: number): TakeResult {
    const calls = (this.accepted.get(key) ?? []).filter((at) => at > nowMs - windowMs);
    const fits = calls.length + cost <= limit;
    // the first time at which enough calls have left the window
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

  private bucket(key: string, { capacity, refillPerSecond }: BucketPolicy, cost: number, nowMs: number): TakeResult {
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
