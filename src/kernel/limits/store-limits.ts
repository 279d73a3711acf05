import type { Clock } from '../clock/clock.js';
import { isRetryable } from '../database/sql-states.js';
import type { Db } from '../database/db.js';
import { Counter, type KeyQueue } from './counter.js';
import { FORGETS, HELD_BUCKETS, HELD_WINDOWS, SWEEPS } from './limits.queries.js';
import { type StoredAllowance, Limits, type TakeProven } from './limits.js';
import { type BucketPolicy, callsOf, checkCost, type Policy, type TakeResult, type WindowPolicy } from './policy.js';
import type { Proof } from './proof.js';
import { ProvenTakes } from './proven-takes.js';
import { type Batches, BUCKETS, firstOf, numbers, WINDOWS } from './take-batches.js';

/** How often expired rows are deleted, in milliseconds. */
export const SWEEP_EVERY_MS = 60_000;
const SWEEP_PAGE = 2_000;
const MAX_TRIES = 4;
/**
 * One count over all replicas of a PostgreSQL: coalesced upserts into unlogged tables, judged by the store's clock plus
 * the clock's offset. After a crash of the database server allowances start afresh.
 */
export class StoreLimits extends Limits {
  private readonly windows = new Counter<WindowPolicy>('limits.window', (lines) => this.judge(WINDOWS, lines));
  private readonly buckets = new Counter<BucketPolicy>('limits.bucket', (lines) => this.judge(BUCKETS, lines));

  constructor(
    private readonly db: Pick<Db, 'run'>,
    private readonly clock: Clock,
  ) {
    super();
  }

  async take(key: string, policy: Policy, cost = 1): Promise<TakeResult> {
    checkCost(policy, cost);
    const offset = this.clock.offsetMicros;
    return policy.kind === 'window'
      ? this.windows.take(key, policy, cost, offset, undefined)
      : this.buckets.take(key, policy, cost, offset, undefined);
  }

  override proving<K extends object>(proof: Proof<K>): TakeProven<K> {
    const takes = new ProvenTakes<K>((statement, values) => this.run(statement, values), proof);
    return (key, policy, remembered) => takes.take(key, policy, this.clock.offsetMicros, remembered);
  }

  async held(prefix: string, after: string, most: number): Promise<StoredAllowance[]> {
    // keys are compared bytewise
    const range = [after > prefix ? after : prefix, `${prefix}\u{10ffff}`, most];
    const [windows, buckets] = await Promise.all([
      this.run<{ key: string; at: string; upto: string; base: number | string }>(HELD_WINDOWS, range),
      this.run<{ key: string; level: number; at: number | string }>(HELD_BUCKETS, range),
    ]);
    return [
      ...windows.map(({ key, at, upto, base }): StoredAllowance => ({
        kind: 'window',
        key,
        calls: callsOf(numbers(at), numbers(upto), Number(base)),
      })),
      ...buckets.map(({ key, level, at }): StoredAllowance => ({ kind: 'bucket', key, level, at: Number(at) })),
    ];
  }

  async forget(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) for (const statement of FORGETS) await this.run(statement, [keys]);
  }

  /** To be called by every replica each `SWEEP_EVERY_MS`: the one that gets the lease sweeps. */
  async sweepInTurn(stopped: () => boolean): Promise<void> {
    const turn = await this.take('limits:sweep', { kind: 'window', limit: 1, windowMs: SWEEP_EVERY_MS / 2 });
    if (turn.allowed) await this.sweep(SWEEP_PAGE, stopped);
  }

  /** Deletes expired rows, a page of keys at a time. Returns their number. */
  async sweep(page = SWEEP_PAGE, stopped = (): boolean => false): Promise<number> {
    let deleted = 0;
    for (const statement of SWEEPS) {
      for (let last: string | null = ''; last !== null && !stopped();) {
        const rows: { last: string | null; deleted: number }[] = await this.db.run(statement, [
          last,
          this.clock.wallOffsetMicros,
          page,
        ]);
        last = rows[0]?.last ?? null;
        deleted += rows[0]?.deleted ?? 0;
      }
    }
    return deleted;
  }

  private async judge<P extends Policy, R extends { place: number }>(
    batches: Batches<P, R>,
    lines: KeyQueue<P>[],
  ): Promise<TakeResult[][]> {
    const answers: TakeResult[][] = Array.from(lines, () => []);
    for (const row of await this.run<R>(batches.statement, batches.values(lines))) {
      const line = lines[row.place - 1] as KeyQueue<P>;
      const costs = line.currentTakes.map((ask) => ask.cost);
      answers[row.place - 1] = batches.answers(firstOf(line).policy, row, costs);
    }
    return answers;
  }

  /**
   * Locks are taken in one order, but an insert can still conflict with a sweep's delete: the statement was rolled
   * back.
   */
  private async run<R extends object>(...[statement, values]: Parameters<Db['run']>): Promise<R[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.db.run(statement, values)) as R[];
      } catch (error) {
        if (attempt >= MAX_TRIES || !isRetryable(error)) throw error;
      }
    }
  }
}
