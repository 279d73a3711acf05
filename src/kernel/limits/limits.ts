import { EPSILON, type Policy, type TakeResult } from './policy.js';
import type { Proof, Proven } from './proof.js';

export { scaled, type BucketPolicy, type Policy, type TakeResult, type WindowPolicy } from './policy.js';

/**
 * The stored state of a key: the times of a window's calls with the number each stands for, or a bucket's level.
 * Microseconds.
 */
export type StoredAllowance =
  | { readonly kind: 'window'; readonly key: string; readonly calls: readonly { at: number; count: number }[] }
  | { readonly kind: 'bucket'; readonly key: string; readonly level: number; readonly at: number };

/** Takes 1 from `key` if `remembered` still holds, in one statement. */
export type TakeProven<K extends object> = (key: string, policy: Policy, remembered: K) => Promise<Proven>;

/** Counters of allowances, independent of their meaning. */
export abstract class Limits {
  /**
   * Takes `cost` from `key` under `policy`, or nothing when it does not fit. Takes of one key are judged in order of
   * arrival. A cost of 0 only checks. In a bucket a negative cost gives back, never above the capacity. Windows and
   * buckets have separate keys; a key keeps its count when its policy changes.
   * @throws RangeError for a cost that is not a number, and in a window for one that is negative or not an integer
   */
  abstract take(key: string, policy: Policy, cost?: number): Promise<TakeResult>;

  /** Takes with a proof; undefined when allowances are not in the store and cannot be part of a statement. */
  proving<K extends object>(_proof: Proof<K>): TakeProven<K> | undefined {
    return undefined;
  }

  /** The state of keys that begin with `prefix`, in their order, at most `most` of each kind, after the key `after`. */
  abstract held(prefix: string, after: string, most: number): Promise<StoredAllowance[]>;

  /** Restores the full allowance of these keys. */
  abstract forget(keys: readonly string[]): Promise<void>;
}

/** How much of an allowance is used, and in how many milliseconds all of it is available again. */
export function usageOf(
  held: StoredAllowance,
  policy: Policy,
  nowMicros: number,
): { used: number; resetsInMs: number } {
  if (held.kind === 'window' && policy.kind === 'window') {
    const calls = held.calls.filter(({ at }) => at > nowMicros - policy.windowMs * 1000);
    const last = calls.at(-1);
    return {
      used: calls.reduce((sum, { count }) => sum + count, 0),
      resetsInMs: last ? Math.max(1, Math.ceil((last.at - nowMicros) / 1000 + policy.windowMs)) : 0,
    };
  }
  if (held.kind === 'bucket' && policy.kind === 'bucket') {
    const { capacity, refillPerSecond } = policy;
    const refilled = (Math.max(0, nowMicros - held.at) * refillPerSecond) / 1e6;
    const level = Math.min(capacity, held.level + refilled);
    const missing = Math.max(0, capacity - level - EPSILON);
    return { used: Math.ceil(missing), resetsInMs: Math.ceil((missing / refillPerSecond) * 1000) };
  }
  return { used: 0, resetsInMs: 0 };
}
