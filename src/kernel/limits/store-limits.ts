import type { Clock } from '../clock/clock.js';
import { coalesce } from '../database/coalesce.js';
import type { Db } from '../database/db.js';
import {
  type BucketRow,
  FORGETS,
  HELD_BUCKETS,
  HELD_WINDOWS,
  SWEEPS,
  TAKE_BUCKETS,
  TAKE_WINDOWS,
  type WindowRow,
} from './limits.queries.js';
import {
  answerBucket,
  answerWindow,
  type BucketPolicy,
  callsOf,
  checkCost,
  type Held,
  Limits,
  type Policy,
  slotMicros,
  type Slots,
  type Taken,
  type WindowPolicy,
} from './limits.js';

/** How often expired rows are to be looked for, in milliseconds. */
export const SWEEP_EVERY_MS = 60_000;
const SWEEP_PAGE = 2_000;
/** Takes of one key that one statement judges; more wait for the next. */
const MAX_TAKES = 256;
const RETRYABLE = new Set(['40001', '40P01']);
const MAX_TRIES = 4;

interface Ask<P extends Policy> {
  policy: P;
  cost: number;
  /** The clock's, as the caller has it. */
  offset: number;
  resolve: (taken: Taken) => void;
  reject: (error: unknown) => void;
}

/** The takes of one key: at most one statement at a time asks for them, so they are judged as they arrived. */
interface Line<P extends Policy> {
  readonly key: string;
  waiting: Ask<P>[];
  /** What the statement under way asks for. All have the same policy. */
  asking: Ask<P>[];
}

/** One statement for many lines at once. */
class Counter<P extends Policy> {
  private readonly lines = new Map<string, Line<P>>();
  private readonly send: (line: Line<P>) => Promise<Taken[]>;

  /** `run` judges lines in the order of their keys and answers each with one `Taken` per take. */
  constructor(name: string, run: (lines: Line<P>[]) => Promise<Taken[][]>) {
    const send = async (lines: Line<P>[]): Promise<Taken[][]> => {
      for (const line of lines) enlist(line);
      // in one order everywhere, or two batches could wait for each other's rows
      const places = lines
        .map((_, i) => i)
        .sort((a, b) => ((lines[a] as Line<P>).key < (lines[b] as Line<P>).key ? -1 : 1));
      const judged = await run(places.map((i) => lines[i] as Line<P>));
      const answers: Taken[][] = Array.from(lines, () => []);
      places.forEach((i, place) => (answers[i] = judged[place] as Taken[]));
      return answers;
    };
    this.send = coalesce(send, { name });
  }

  take(key: string, policy: P, cost: number, offset: number): Promise<Taken> {
    return new Promise((resolve, reject) => {
      const ask: Ask<P> = { policy, cost, offset, resolve, reject };
      const line = this.lines.get(key);
      if (line) return void line.waiting.push(ask);
      const opened: Line<P> = { key, waiting: [ask], asking: [] };
      this.lines.set(key, opened);
      void this.serve(opened);
    });
  }

  private async serve(line: Line<P>): Promise<void> {
    while (line.waiting.length > 0) {
      try {
        const taken = await this.send(line);
        line.asking.forEach((ask, i) => ask.resolve(taken[i] as Taken));
      } catch (error) {
        // a statement that never left has enlisted nobody, and nobody may wait for ever
        for (const ask of line.asking.length > 0 ? line.asking : line.waiting.splice(0)) ask.reject(error);
      }
      line.asking = [];
    }
    this.lines.delete(line.key);
  }
}

/** Moves the first takes that share a policy into the statement; a batch that is tried again keeps what it has. */
function enlist<P extends Policy>(line: Line<P>): void {
  if (line.asking.length > 0) return;
  const first = (line.waiting[0] as Ask<P>).policy;
  const end = line.waiting.findIndex((ask, i) => i === MAX_TAKES || !samePolicy(ask.policy, first));
  line.asking = line.waiting.splice(0, end === -1 ? line.waiting.length : end);
}

function samePolicy(a: Policy, b: Policy): boolean {
  if (a === b) return true;
  return a.kind === 'window'
    ? b.kind === 'window' && a.limit === b.limit && a.windowMs === b.windowMs
    : b.kind === 'bucket' && a.capacity === b.capacity && a.refillPerSecond === b.refillPerSecond;
}

/** The costs of all lines in a row, and where each line's begin: one entry more than lines. */
function flatten(lines: Line<Policy>[]): { costs: number[]; starts: number[] } {
  const costs: number[] = [];
  const starts: number[] = [];
  for (const line of lines) {
    starts.push(costs.length + 1);
    for (const ask of line.asking) costs.push(ask.cost);
  }
  starts.push(costs.length + 1);
  return { costs, starts };
}

const micros = (policy: WindowPolicy): number => Math.floor(policy.windowMs * 1000);

/** `{1,2}` as PostgreSQL writes an array of numbers. */
const numbers = (text: string): number[] => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));

/**
 * One count over all replicas of a PostgreSQL: coalesced upserts into unlogged tables, judged by the store's clock
 * plus the clock's offset. After a crash of the database server allowances start afresh.
 */
export class StoreLimits extends Limits {
  private readonly windows = new Counter<WindowPolicy>('limits.window', (lines) => this.takeWindows(lines));
  private readonly buckets = new Counter<BucketPolicy>('limits.bucket', (lines) => this.takeBuckets(lines));

  constructor(
    private readonly db: Pick<Db, 'run'>,
    private readonly clock: Clock,
  ) {
    super();
  }

  async take(key: string, policy: Policy, cost = 1): Promise<Taken> {
    checkCost(policy, cost);
    const offset = this.clock.offsetMicros;
    return policy.kind === 'window'
      ? this.windows.take(key, policy, cost, offset)
      : this.buckets.take(key, policy, cost, offset);
  }

  async held(prefix: string, after: string, most: number): Promise<Held[]> {
    // keys are compared by their bytes
    const range = [after > prefix ? after : prefix, `${prefix}\u{10ffff}`, most];
    const [windows, buckets] = await Promise.all([
      this.run<{ key: string; at: string; upto: string; base: number | string }>(HELD_WINDOWS, range),
      this.run<{ key: string; level: number; at: number | string }>(HELD_BUCKETS, range),
    ]);
    return [
      ...windows.map(({ key, at, upto, base }): Held => ({
        kind: 'window',
        key,
        calls: callsOf(numbers(at), numbers(upto), Number(base)),
      })),
      ...buckets.map(({ key, level, at }): Held => ({ kind: 'bucket', key, level, at: Number(at) })),
    ];
  }

  async forget(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) for (const statement of FORGETS) await this.run(statement, [keys]);
  }

  /** To be called by every replica each `SWEEP_EVERY_MS`: the one that takes the only turn there is sweeps. */
  async sweepInTurn(stopped: () => boolean): Promise<void> {
    const turn = await this.take('limits:sweep', { kind: 'window', limit: 1, windowMs: SWEEP_EVERY_MS / 2 });
    if (turn.allowed) await this.sweep(SWEEP_PAGE, stopped);
  }

  /** Deletes expired rows, a page of keys at a time. Answers how many there were. */
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

  private async takeWindows(lines: Line<WindowPolicy>[]): Promise<Taken[][]> {
    const { costs, starts } = flatten(lines);
    const policies = lines.map((line) => (line.asking[0] as Ask<WindowPolicy>).policy);
    const rows = await this.run<WindowRow>(TAKE_WINDOWS, [
      lines.map((line) => line.key),
      policies.map((policy) => policy.limit),
      policies.map(micros),
      policies.map(slotMicros),
      starts,
      costs,
      lines.map((line) => (line.asking[0] as Ask<Policy>).offset),
      Math.max(1, ...costs),
    ]);
    return inPlace(lines, rows, (row, costsOfLine, policy) => {
      const now = Number(row.expires_at) - micros(policy);
      return answerWindow(policy, Number(row.was), now, costsOfLine, () => slotsOf(row));
    });
  }

  private async takeBuckets(lines: Line<BucketPolicy>[]): Promise<Taken[][]> {
    const { costs, starts } = flatten(lines);
    const policies = lines.map((line) => (line.asking[0] as Ask<BucketPolicy>).policy);
    const rows = await this.run<BucketRow>(TAKE_BUCKETS, [
      lines.map((line) => line.key),
      policies.map((policy) => policy.capacity),
      policies.map((policy) => policy.refillPerSecond),
      starts,
      costs,
      lines.map((line) => (line.asking[0] as Ask<Policy>).offset),
    ]);
    return inPlace(lines, rows, (row, costsOfLine, policy) => answerBucket(policy, row.was, costsOfLine));
  }

  /** Locks are taken in one order, but an insert can still meet a sweep's delete: the statement undid itself. */
  private async run<R extends object>(...[statement, values]: Parameters<Db['run']>): Promise<R[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.db.run(statement, values)) as R[];
      } catch (error) {
        if (attempt >= MAX_TRIES || !RETRYABLE.has((error as { code?: string }).code ?? '')) throw error;
      }
    }
  }
}

function inPlace<P extends Policy, R extends { place: number }>(
  lines: Line<P>[],
  rows: R[],
  answer: (row: R, costs: number[], policy: P) => Taken[],
): Taken[][] {
  const answers: Taken[][] = Array.from(lines, () => []);
  for (const row of rows) {
    const { asking } = lines[row.place - 1] as Line<P>;
    answers[row.place - 1] = answer(
      row,
      asking.map((ask) => ask.cost),
      (asking[0] as Ask<P>).policy,
    );
  }
  return answers;
}

function slotsOf(row: WindowRow): Slots {
  const at = numbers(row.at);
  const upto = numbers(row.upto);
  const base = Number(row.base);
  return { count: at.length, at: (i) => at[i] as number, upto: (i) => (upto[i] as number) - base };
}
