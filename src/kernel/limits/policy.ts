/** An allowance: how much, per what. Limits and capacities are whole numbers from 1 up. */
export type WindowPolicy = { kind: 'window'; limit: number; windowMs: number };
export type BucketPolicy = { kind: 'bucket'; capacity: number; refillPerSecond: number };

/**
 * - `window`: sliding window: refused while `limit` accepted calls lie in the last `windowMs`
 *   (docs/reference/chat.md#rate-tiers). Exact to the microsecond up to a limit of `EXACT_LIMIT`; above, a call may count
 *   up to 1/64 of the window longer.
 * - `bucket`: leaky bucket, full at first, refilled continuously (docs/reference/chat.md#rate-tiers Special,
 *   docs/reference/limits.md#graphql-budgets).
 */
export type Policy = WindowPolicy | BucketPolicy;

export interface TakeResult {
  allowed: boolean;
  /** Whole units left after this take, never negative. */
  remaining: number;
  /**
   * Milliseconds, rounded up, until `cost` fits if there are no other takes; 0 when allowed. For a cost that can never
   * fit, until the allowance is full.
   */
  retryAfterMs: number;
}

/** @internal The slots of a window: the time of each, and how many calls it stands for. */
export const callsOf = (
  at: readonly number[],
  upto: readonly number[],
  base: number,
): { at: number; count: number }[] =>
  at.map((stamp, i) => ({ at: stamp, count: (upto[i] as number) - (i === 0 ? base : (upto[i - 1] as number)) }));

/** Up to this limit every accepted call has its own timestamp; above, a window is divided into `SLOTS`. */
export const EXACT_LIMIT = 1000;
/** Limits a row to about 1 kB at any limit. */
const SLOTS = 64;

/** Parts of a token that floating point may lose; `rate_left` in the migrations has the same. */
export const EPSILON = 1e-6;

/** Calls in one slot share the timestamp of the latest, in microseconds. 1 = exact. */
export function slotMicros({ limit, windowMs }: WindowPolicy): number {
  return limit <= EXACT_LIMIT ? 1 : Math.max(1, Math.floor((windowMs * 1000) / SLOTS));
}

/**
 * Every allowance times `multiplier`, rounded down but at least 1 (docs/reference/chat.md#rate-tiers); null when 0
 * turns limits off.
 */
export function scaled<P extends Policy>(policy: P, multiplier: number): P | null {
  if (multiplier === 0) return null;
  // 100 × 0.29 is 28.999999999999996
  const scale = (allowance: number): number => Math.max(1, Math.floor(allowance * multiplier + 1e-9));
  return policy.kind === 'window'
    ? { ...policy, limit: scale(policy.limit) }
    : { ...policy, capacity: scale(policy.capacity), refillPerSecond: scale(policy.refillPerSecond) };
}

/** Whether takes of one key can be judged together. */
export function samePolicy(a: Policy, b: Policy): boolean {
  if (a === b) return true;
  return a.kind === 'window'
    ? b.kind === 'window' && a.limit === b.limit && a.windowMs === b.windowMs
    : b.kind === 'bucket' && a.capacity === b.capacity && a.refillPerSecond === b.refillPerSecond;
}

/** @internal */
export function checkCost(policy: Policy, cost: number): void {
  if (!Number.isFinite(cost)) throw new RangeError(`a cost must be a number, not ${cost}`);
  if (policy.kind === 'window' && !(Number.isSafeInteger(cost) && cost >= 0)) {
    throw new RangeError(`a window counts whole calls, not ${cost}`);
  }
}

/**
 * The time-ordered slots of a window that still count: slot i says that `upto(i)` calls were accepted until `at(i)`.
 */
export interface Slots {
  readonly count: number;
  at(i: number): number;
  upto(i: number): number;
}

/** @internal Judges a window's takes in order, given the calls it held before and its slots after them. */
export function answerWindow(
  policy: WindowPolicy,
  was: number,
  now: number,
  costs: number[],
  slots: () => Slots,
): TakeResult[] {
  let held = was;
  return costs.map((cost) => {
    if (held + cost <= policy.limit || cost === 0) {
      held += cost;
      return { allowed: true, remaining: Math.max(0, policy.limit - held), retryAfterMs: 0 };
    }
    const mustLeave = held + cost - policy.limit;
    return {
      allowed: false,
      remaining: Math.max(0, policy.limit - held),
      retryAfterMs: untilLeft(policy, slots(), mustLeave, now),
    };
  });
}

function untilLeft({ windowMs }: WindowPolicy, slots: Slots, calls: number, now: number): number {
  for (let i = 0; i < slots.count; i++) {
    if (slots.upto(i) >= calls) return Math.max(1, Math.ceil((slots.at(i) - now) / 1000 + windowMs));
  }
  return windowMs;
}

/** @internal Judges a bucket's takes in order, given its level before them. */
export function answerBucket(policy: BucketPolicy, was: number, costs: number[]): TakeResult[] {
  let level = was;
  return costs.map((cost) => {
    const allowed = cost <= 0 || cost <= level + EPSILON;
    // summed as `rate_left` does: capped only when the bucket is next read
    if (allowed) level -= cost;
    const remaining = Math.min(policy.capacity, Math.max(0, Math.floor(level + EPSILON)));
    return { allowed, remaining, retryAfterMs: allowed ? 0 : untilRefilled(policy, level, cost) };
  });
}

function untilRefilled({ capacity, refillPerSecond }: BucketPolicy, level: number, cost: number): number {
  const wanted = cost > capacity ? (level < capacity ? capacity : level + capacity) : cost;
  return Math.max(1, Math.ceil(((wanted - EPSILON / 2 - level) / refillPerSecond) * 1000));
}
