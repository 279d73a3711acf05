import type { Entry } from './entries.js';

/** A line of the list: an entry, and for the first of a group how many belong to it. */
export interface Line {
  readonly entry: Entry;
  /** Entries that it caused; none in a flat list. */
  readonly caused: number;
  /** Below the first of its group. */
  readonly isCaused: boolean;
}

export const flatLines = (entries: readonly Entry[]): Line[] =>
  entries.map((entry) => ({ entry, caused: 0, isCaused: false }));

/** What joins a call, the events that it caused and their deliveries. */
const causeOf = ({ kind, request_id: own, cause }: Entry): string | undefined => (kind === 'call' ? own : cause);

/**
 * Groups entries, which are the newest first: a call with what it caused, below it in the order of time where its group
 * is open. What was caused by nothing that is loaded stands alone, or leads the rest of its group.
 */
export function groupedLines(entries: readonly Entry[], open: ReadonlySet<string>): Line[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = causeOf(entry) ?? entry.id;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].flatMap((group) => {
    const inOrder = group.toReversed();
    const first = inOrder.find(({ kind }) => kind === 'call') ?? (inOrder[0] as Entry);
    const rest = inOrder.filter((entry) => entry !== first);
    const below = open.has(first.id) ? rest.map((entry) => ({ entry, caused: 0, isCaused: true })) : [];
    return [{ entry: first, caused: rest.length, isCaused: false }, ...below];
  });
}

/** Calls of one method among what is loaded. */
export interface MethodFigures {
  readonly method: string;
  readonly calls: number;
  readonly errors: number;
  /** Milliseconds. */
  readonly median: number;
  readonly p95: number;
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Latency and errors by method, the most called first. */
export function figuresByMethod(entries: readonly Entry[]): MethodFigures[] {
  const calls = new Map<string, Entry[]>();
  for (const entry of entries) {
    if (entry.kind !== 'call' || entry.method === undefined) continue;
    calls.set(entry.method, [...(calls.get(entry.method) ?? []), entry]);
  }
  return [...calls]
    .map(([method, all]) => {
      const ms = all.map((entry) => entry.ms ?? 0).sort((a, b) => a - b);
      const errors = all.filter(({ ok }) => ok === false).length;
      return { method, calls: all.length, errors, median: at(ms, 0.5), p95: at(ms, 0.95) };
    })
    .sort((a, b) => b.calls - a.calls);
}

/** "13 shown · 6 calls, 1 failed · 6 deliveries, 2 failed". */
export function totals(entries: readonly Entry[]): string {
  const of = (kind: string, one: string, many: string): string[] => {
    const all = entries.filter((entry) => entry.kind === kind);
    const failed = all.filter((entry) => entry.ok === false || (kind === 'delivery' && entry.error)).length;
    if (all.length === 0) return [];
    const count = all.length === 1 ? `1 ${one}` : `${all.length.toLocaleString()} ${many}`;
    return [failed === 0 ? count : `${count}, ${failed.toLocaleString()} failed`];
  };
  return [...of('call', 'call', 'calls'), ...of('delivery', 'delivery', 'deliveries')].join(' · ');
}
