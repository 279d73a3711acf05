import { Counter, type KeyQueue } from './counter.js';
import type { BucketPolicy, Policy, WindowPolicy } from './policy.js';
import type { Proof, Proven } from './proof.js';
import { BUCKETS, firstOf, WINDOWS, type Batches } from './take-batches.js';
import type { Statement } from '../database/statement.js';

/** The results besides the takes: listed by row, whichever take is in that row. */
interface ProofRow {
  proof: number | null;
  holds: boolean;
}

type ProvenLine<P extends Policy, K> = KeyQueue<P, Proven, K>;

/** Sends a statement that may be retried after a conflict. */
export type Run = <R extends object>(statement: Statement, values: unknown[]) => Promise<R[]>;

/** Takes that only count if what the process remembers is still true, proven by the same statement. */
export class ProvenTakes<K extends object> {
  private readonly windows: Counter<WindowPolicy, Proven, K>;
  private readonly buckets: Counter<BucketPolicy, Proven, K>;

  constructor(
    private readonly run: Run,
    private readonly proof: Proof<K>,
  ) {
    const counter = <P extends Policy, R extends { place: number }>(
      kind: string,
      batches: Batches<P, R>,
    ): Counter<P, Proven, K> => {
      const statement = batches.proven(proof.name, proof.sql);
      return new Counter(`limits.${kind}`, (lines) => this.judge(batches, statement, lines));
    };
    this.windows = counter('window', WINDOWS);
    this.buckets = counter('bucket', BUCKETS);
  }

  take(key: string, policy: Policy, offset: number, remembered: K): Promise<Proven> {
    return policy.kind === 'window'
      ? this.windows.take(key, policy, 1, offset, remembered)
      : this.buckets.take(key, policy, 1, offset, remembered);
  }

  private async judge<P extends Policy, R extends { place: number }>(
    batches: Batches<P, R>,
    statement: Statement,
    lines: ProvenLine<P, K>[],
  ): Promise<Proven[][]> {
    // calls of one caller share a proof
    const places = new Map<K, number>();
    const proofs = lines.flatMap((line) =>
      line.currentTakes.map(({ beside }) => {
        const known = places.get(beside);
        if (known === undefined) places.set(beside, places.size + 1);
        return known ?? places.size;
      }),
    );
    const rows = await this.run<R & ProofRow>(statement, [
      ...batches.values(lines),
      proofs,
      ...this.proof.values([...places.keys()]),
    ]);
    const proven = new Map<number, ProofRow>();
    for (const row of rows) if (row.proof !== null) proven.set(Number(row.proof), row);
    const answers: Proven[][] = Array.from(lines, () => []);
    for (const row of rows) {
      // more proofs than keys: the row has no take
      if ((row.place as number | null) === null) continue;
      const line = lines[row.place - 1] as ProvenLine<P, K>;
      const found = line.currentTakes.map(({ beside }) => proven.get(places.get(beside) as number));
      const costs = found.map((one) => (one?.holds === true ? 1 : 0));
      const taken = batches.answers(firstOf(line).policy, row, costs);
      answers[row.place - 1] = taken.map((one, i) =>
        found[i]?.holds === true ? { holds: true, taken: one } : { holds: false },
      );
    }
    return answers;
  }
}
