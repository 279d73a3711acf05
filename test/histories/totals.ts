import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { History, Violation } from './history.js';
import type { Fault } from './faults.js';

/** What runs came to, so that many of them add up. */
export interface Totals {
  runs: number;
  /** How long calls were made, in seconds. */
  seconds: number;
  calls: number;
  /** By outcome, by what was asked for, by kind. */
  readonly outcomes: Record<string, number>;
  readonly operations: Record<string, number>;
  readonly faults: Record<string, number>;
  deliveries: number;
  /** What sockets heard. */
  heard: number;
  /** Runs after which something was under way for too long: what they were told was not judged as complete. */
  unsettled: number;
  violations: number;
  readonly seeds: number[];
}

export interface Run {
  readonly seed: number;
  readonly history: History;
  readonly faults: readonly Fault[];
  readonly violations: readonly Violation[];
}

export const noTotals = (): Totals => ({
  runs: 0,
  seconds: 0,
  calls: 0,
  outcomes: {},
  operations: {},
  faults: {},
  deliveries: 0,
  heard: 0,
  unsettled: 0,
  violations: 0,
  seeds: [],
});

/** How long calls were made: an upgrade may take longer than what was asked for. */
function secondsOf({ calls }: History): number {
  let [first, last] = [Infinity, 0];
  for (const { start, end } of calls) [first, last] = [Math.min(first, start), Math.max(last, end)];
  return Math.max(0, last - first) / 1_000;
}

const count = (into: Record<string, number>, key: string): void => void (into[key] = (into[key] ?? 0) + 1);

export function add(totals: Totals, { seed, history, faults, violations }: Run): void {
  totals.runs++;
  totals.seconds += secondsOf(history);
  totals.calls += history.calls.length;
  for (const call of history.calls) {
    count(totals.outcomes, call.outcome);
    count(totals.operations, call.op === 'history' && call.isCopy ? 'copy' : call.op);
  }
  for (const { kind } of faults) count(totals.faults, kind);
  totals.deliveries += history.deliveries.length;
  for (const { heard } of history.sockets) totals.heard += heard.length;
  if (history.quietAt === undefined) totals.unsettled++;
  totals.violations += violations.length;
  totals.seeds.push(seed);
}

/** Adds a run to those that the file has. */
export function addToFile(path: string, run: Run): void {
  const totals = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Totals) : noTotals();
  add(totals, run);
  writeFileSync(path, `${JSON.stringify(totals, null, 2)}\n`);
}

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([key, n]) => `${key} ${n}`)
    .join(', ');

export const describeTotals = ({
  runs,
  seconds,
  calls,
  outcomes,
  operations,
  faults,
  deliveries,
  heard,
  unsettled,
  violations,
}: Totals): string =>
  [
    `${runs} runs, ${Math.round(seconds)} s of calls: ${calls} calls (${listed(outcomes)}), ${(calls / seconds).toFixed(0)} a second`,
    `  asked: ${listed(operations)}`,
    `  faults: ${listed(faults) || 'none'}`,
    `  told: ${deliveries} deliveries, ${heard} messages on sockets; ${unsettled} runs did not settle`,
    `  violations: ${violations}`,
  ].join('\n');
