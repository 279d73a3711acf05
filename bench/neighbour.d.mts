/** What a neighbour saw. */
export interface Seen {
  /** The slowest but one in a hundred, and the slowest, in ms. */
  readonly p99: number;
  readonly slowest: number;
  readonly calls: number;
  /** Answers that were not 200. */
  readonly refused: number;
  /** By how many MiB the server's memory grew at most. */
  readonly grownMib: number;
}

/** The slowest that a neighbour's p99 may become, in ms. */
export declare const barOf: (quiet: Pick<Seen, 'p99'>) => number;
