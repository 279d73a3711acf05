import type { Entry } from './types.js';

/** An entry that did not match, with its differences. */
export interface Closest {
  entry?: unknown;
  differs: { path: string; expected?: unknown; actual?: unknown }[];
}

/** The closest entries, as lines of a report. */
export function closestLines(closest: readonly Closest[]): string[] {
  return closest.flatMap(({ differs }, n) => [
    `closest ${n + 1}:`,
    ...(differs ?? []).map(
      ({ path, expected, actual }) => `  ${path}: expected ${JSON.stringify(expected)}, was ${JSON.stringify(actual)}`,
    ),
  ]);
}

/** A timeline entry, as a line of a report. */
export function lineOf(entry: Entry): string {
  const what = entry['method'] ?? entry['event'] ?? entry['text'] ?? '';
  const outcome = entry['ok'] === true ? 'ok' : (entry['error'] ?? entry['status'] ?? '');
  return `${entry.wall} ${entry.kind} ${entry['summary'] ?? `${what} ${outcome}`}`.trimEnd();
}
