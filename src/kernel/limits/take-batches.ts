import type { Statement } from '../database/statement.js';
import type { QueuedTake } from './counter.js';
import { type BucketRow, TAKE_BUCKETS, TAKE_WINDOWS, takeProven, type WindowRow } from './limits.queries.js';
import {
  answerBucket,
  answerWindow,
  type BucketPolicy,
  type Policy,
  slotMicros,
  type Slots,
  type TakeResult,
  type WindowPolicy,
} from './policy.js';

/** Lines with takes of any kind. */
export type TakeQueues<P extends Policy> = readonly {
  readonly key: string;
  readonly currentTakes: readonly Pick<QueuedTake<P, never, unknown>, 'policy' | 'cost' | 'offset'>[];
}[];

/** How a batch of takes is sent to the store, and its answer parsed. */
export interface Batches<P extends Policy, R extends { place: number }> {
  readonly statement: Statement;
  /** The same when each take depends on a proof, whose parameters follow those of `values`. */
  proven(name: string, proof: (first: number) => string): Statement;
  values(lines: TakeQueues<P>): unknown[];
  answers(policy: P, row: R, costs: number[]): TakeResult[];
}

/** The costs of all lines in sequence, and where each line's begin: one entry more than lines. */
function flatten(lines: TakeQueues<Policy>): { costs: number[]; starts: number[] } {
  const costs: number[] = [];
  const starts: number[] = [];
  for (const line of lines) {
    starts.push(costs.length + 1);
    for (const ask of line.currentTakes) costs.push(ask.cost);
  }
  starts.push(costs.length + 1);
  return { costs, starts };
}

const micros = (policy: WindowPolicy): number => Math.floor(policy.windowMs * 1000);

/** `{1,2}` as PostgreSQL writes an array of numbers. */
export const numbers = (text: string): number[] => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));

/** The first take, whose policy all takes of a line share. */
export const firstOf = <T>(line: { readonly currentTakes: readonly T[] }): T => line.currentTakes[0] as T;

const offsets = (lines: TakeQueues<Policy>): number[] => lines.map((line) => firstOf(line).offset);

function windowState(lines: TakeQueues<WindowPolicy>, starts: number[]): unknown[] {
  const policies = lines.map((line) => firstOf(line).policy);
  return [
    lines.map((line) => line.key),
    policies.map((policy) => policy.limit),
    policies.map(micros),
    policies.map(slotMicros),
    starts,
  ];
}

function bucketState(lines: TakeQueues<BucketPolicy>, starts: number[]): unknown[] {
  const policies = lines.map((line) => firstOf(line).policy);
  return [
    lines.map((line) => line.key),
    policies.map((policy) => policy.capacity),
    policies.map((policy) => policy.refillPerSecond),
    starts,
  ];
}

export const WINDOWS: Batches<WindowPolicy, WindowRow> = {
  statement: TAKE_WINDOWS,
  proven: (name, proof) => takeProven('window', name, proof),
  values(lines) {
    const { costs, starts } = flatten(lines);
    return [...windowState(lines, starts), costs, offsets(lines), Math.max(1, ...costs)];
  },
  answers: (policy, row, costs) =>
    answerWindow(policy, Number(row.was), Number(row.expires_at) - micros(policy), costs, () => slotsOf(row)),
};

export const BUCKETS: Batches<BucketPolicy, BucketRow> = {
  statement: TAKE_BUCKETS,
  proven: (name, proof) => takeProven('bucket', name, proof),
  values(lines) {
    const { costs, starts } = flatten(lines);
    return [...bucketState(lines, starts), costs, offsets(lines)];
  },
  answers: (policy, row, costs) => answerBucket(policy, row.was, costs),
};

function slotsOf(row: WindowRow): Slots {
  const at = numbers(row.at);
  const upto = numbers(row.upto);
  const base = Number(row.base);
  return { count: at.length, at: (i) => at[i] as number, upto: (i) => (upto[i] as number) - base };
}
