import { type Call, latest, mayHaveHappened } from './history.js';

/** A write of a register: after it, a read sees this value until the next one. */
export interface Write<V> {
  readonly call: Call;
  readonly value: V;
}

/**
 * The values that a read between `start` and `end` may see, if calls take effect at one moment between their beginning
 * and their end: those that no acknowledged write had certainly replaced, and that had begun. `undefined` stands for
 * the value before the first write.
 */
export function possibleValues<V>(writes: readonly Write<V>[], start: number, end: number): Set<V | undefined> {
  // when the last of those began that had certainly taken effect before
  let replaced = -Infinity;
  for (const { call } of writes)
    if (call.outcome === 'ok' && call.end < start) replaced = Math.max(replaced, call.start);
  const possible = new Set<V | undefined>();
  if (replaced === -Infinity) possible.add(undefined);
  for (const { call, value } of writes) {
    if (!mayHaveHappened(call) || call.start > end) continue;
    if (replaced <= latest(call)) possible.add(value);
  }
  return possible;
}
