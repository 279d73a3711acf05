import type { TakeResult } from './policy.js';

/** How to prove that what a process remembers is still true. */
export interface Proof<K extends object> {
  /** Part of the names of the statements that contain the proof. */
  readonly name: string;
  /**
   * A select with a row for each item found: `n` from 1 up, and `holds`. Its parameters are numbered from `first` on.
   */
  sql(first: number): string;
  /** The parameters, each an array over all items to be proven. */
  values(remembered: readonly K[]): unknown[][];
}

/** The result of a take that depends on a proof: if that does not hold, nothing was taken. */
export type Proven = { readonly holds: true; readonly taken: TakeResult } | { readonly holds: false };
