import type { Clock } from '../clock/clock.js';
import { type StoredAllowance, Limits } from './limits.js';
import {
  answerBucket,
  answerWindow,
  type BucketPolicy,
  callsOf,
  checkCost,
  type Policy,
  slotMicros,
  type TakeResult,
  type WindowPolicy,
} from './policy.js';

/** As a row of `rate_windows`; slots before `head` have left the window. */
interface Window {
  at: number[];
  upto: number[];
  head: number;
  base: number;
  total: number;
  expiresAt: number;
}

/** As a row of `rate_buckets`. */
interface Bucket {
  level: number;
  at: number;
  expiresAt: number;
}

/**
 * Counts in this process: for the embedded database, which serves one process. Gives the same answers as `StoreLimits`.
 */
export class MemoryLimits extends Limits {
  private readonly windows = new Expiring<Window>();
  private readonly buckets = new Expiring<Bucket>();

  constructor(private readonly clock: Clock) {
    super();
  }

  /** The number of keys. */
  get size(): number {
    return this.windows.size + this.buckets.size;
  }

  async take(key: string, policy: Policy, cost = 1): Promise<TakeResult> {
    checkCost(policy, cost);
    const taken = policy.kind === 'window' ? this.takeWindow(key, policy, cost) : this.takeBucket(key, policy, cost);
    return taken[0] as TakeResult;
  }

  async held(prefix: string, after: string, most: number): Promise<StoredAllowance[]> {
    const keysOf = (all: Iterable<string>): string[] =>
      [...all]
        .filter((key) => key.startsWith(prefix) && key > after)
        .sort((a, b) => (a < b ? -1 : 1))
        .slice(0, most);
    return [
      ...keysOf(this.windows.keys()).map((key): StoredAllowance => {
        const { at, upto, head, base } = this.windows.get(key) as Window;
        return { kind: 'window', key, calls: callsOf(at.slice(head), upto.slice(head), base) };
      }),
      ...keysOf(this.buckets.keys()).map((key): StoredAllowance => {
        const { level, at } = this.buckets.get(key) as Bucket;
        return { kind: 'bucket', key, level, at };
      }),
    ];
  }

  async forget(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.windows.delete(key);
      this.buckets.delete(key);
    }
  }

  private takeWindow(key: string, policy: WindowPolicy, cost: number): TakeResult[] {
    const w = this.windows.get(key) ?? { at: [], upto: [], head: 0, base: 0, total: 0, expiresAt: 0 };
    const span = Math.floor(policy.windowMs * 1000);
    const now = Math.max(this.clock.nowMicros(), w.at.at(-1) ?? 0);
    while (w.head < w.at.length && (w.at[w.head] as number) <= now - span) w.base = w.upto[w.head++] as number;
    if (w.head > 32 && w.head * 2 > w.at.length) {
      w.at.splice(0, w.head);
      w.upto.splice(0, w.head);
      w.head = 0;
    }
    const was = w.total - w.base;
    if (cost > 0 && was + cost <= policy.limit) {
      w.total += cost;
      const slot = slotMicros(policy);
      const last = w.at.length - 1;
      if (last >= w.head && Math.floor((w.at[last] as number) / slot) === Math.floor(now / slot)) {
        w.at[last] = now;
        w.upto[last] = w.total;
      } else {
        w.at.push(now);
        w.upto.push(w.total);
      }
    }
    const wall = this.clock.wallMicros();
    w.expiresAt = Math.max(now, wall) + span;
    this.windows.set(key, w, wall);
    return answerWindow(policy, was, now, [cost], () => ({
      count: w.at.length - w.head,
      at: (i) => w.at[w.head + i] as number,
      upto: (i) => (w.upto[w.head + i] as number) - w.base,
    }));
  }

  private takeBucket(key: string, policy: BucketPolicy, cost: number): TakeResult[] {
    const b = this.buckets.get(key) ?? { level: policy.capacity, at: 0, expiresAt: 0 };
    const now = Math.max(this.clock.nowMicros(), b.at);
    const was = Math.min(policy.capacity, b.level + ((now - b.at) * policy.refillPerSecond) / 1e6);
    const taken = answerBucket(policy, was, [cost]);
    b.level = taken[0]?.allowed ? was - cost : was;
    b.at = now;
    const wall = this.clock.wallMicros();
    b.expiresAt =
      Math.max(now, wall) + Math.max(0, Math.ceil(((policy.capacity - b.level) / policy.refillPerSecond) * 1e6));
    this.buckets.set(key, b, wall);
    return taken;
  }
}

/**
 * A map that drops expired entries: every `set` also examines two entries in turn, so a pass over all takes half as
 * many calls as there are entries, and no timer is needed. In the long run it holds at most twice the live entries.
 */
class Expiring<V extends { expiresAt: number }> {
  private readonly entries = new Map<string, V>();
  private round = this.entries.entries();

  get size(): number {
    return this.entries.size;
  }

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  keys(): Iterable<string> {
    return this.entries.keys();
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  set(key: string, value: V, now: number): void {
    this.entries.set(key, value);
    for (let i = 0; i < 2; i++) {
      const next = this.round.next();
      if (next.done) this.round = this.entries.entries();
      else if (next.value[1].expiresAt <= now) this.entries.delete(next.value[0]);
    }
  }
}
