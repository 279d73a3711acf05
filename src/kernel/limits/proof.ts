import type { TakeResult } from './policy.js';

/** How it is proven that what a process remembers is still so. */
export interface Proof<K extends object> {
  /** Of the statement, which is the proof's own. */
  readonly name: string;
  /**
   * A select of a row for each that is found: `n` from 1 up, `holds`, and a number `fresh` that changes too often to be
   * remembered. Its parameters are numbered from `first` on.
   */
  sql(first: number): string;
  /** What the parameters are, each an array over all that is to be proven. */
  values(remembered: readonly K[]): unknown[][];
}

/** How a take ended that depends on a proof: where it does not hold nothing was taken. */
export type Proven =
  { readonly holds: true; readonly taken: TakeResult; readonly fresh: number | null } | { readonly holds: false };
