import { loneTakeInStatement, takesInStatement } from './limits.queries.js';
import { samePolicy, type BucketPolicy, type Policy, type WindowPolicy } from './policy.js';
import type { Proof } from './proof.js';
import { BUCKETS, WINDOWS, type TakeQueues } from './take-batches.js';

/** A take of 1 that belongs to a row of another statement. */
export interface StatementTake<K extends object = object> {
  readonly key: string;
  readonly policy: Policy;
  /** The clock's offset at the caller. */
  readonly offset: number;
  /** The item to be proven. */
  readonly remembered: K;
}

interface Line {
  readonly key: string;
  readonly currentTakes: { readonly policy: Policy; readonly cost: number; readonly offset: number }[];
}

/** Takes with a proof as CTEs of a larger statement: in one transaction with the work they are for. */
export class StatementTakes<K extends object = object> {
  constructor(private readonly proof: Proof<K>) {}

  /** Part of the names of statements with these CTEs. */
  get name(): string {
    return this.proof.name;
  }

  /** `untaken` and the CTEs before it, from `takesInStatement`. */
  parts(kind: Policy['kind'], first: number, after: string): string {
    return takesInStatement(kind, first, after, this.proof.sql);
  }

  /** The same for a statement that is one call. */
  lonePart(first: number, after: string): string {
    return loneTakeInStatement(first, after, this.proof.sql);
  }

  loneValues({ key, policy, offset, remembered }: StatementTake<K>): unknown[] {
    const { capacity, refillPerSecond } = policy as BucketPolicy;
    return [key, capacity, refillPerSecond, offset, ...this.proof.values([remembered]).map(([value]) => value)];
  }

  /**
   * The parameters of the CTEs.
   * @param takes one per row, all of this kind
   */
  values(kind: Policy['kind'], takes: readonly (StatementTake<K> | undefined)[]): unknown[] {
    // the same order everywhere, otherwise two statements could deadlock on each other's rows
    const keys = [...new Set(takes.flatMap((take) => take?.key ?? []))].sort((a, b) => (a < b ? -1 : 1));
    const places = new Map(keys.map((key, i) => [key, i]));
    const lines: Line[] = keys.map((key) => ({ key, currentTakes: [] }));
    const proofs = new Map<K, number>();
    const rows = takes.map((take): readonly [place: number | null, proof: number | null] => {
      if (!take) return [null, null];
      const place = places.get(take.key) as number;
      const { currentTakes } = lines[place] as Line;
      const first = currentTakes[0]?.policy;
      // no proof has this number, so a call with another policy makes its take by itself
      if (first && !samePolicy(first, take.policy)) return [null, 0];
      currentTakes.push({ policy: take.policy, cost: 1, offset: take.offset });
      // calls of one caller share a proof
      if (!proofs.has(take.remembered)) proofs.set(take.remembered, proofs.size + 1);
      return [place + 1, proofs.get(take.remembered) as number];
    });
    return [
      ...(kind === 'window'
        ? WINDOWS.along(lines as TakeQueues<WindowPolicy>)
        : BUCKETS.along(lines as TakeQueues<BucketPolicy>)),
      rows.map(([place]) => place),
      rows.map(([, proof]) => proof),
      ...this.proof.values([...proofs.keys()]),
    ];
  }
}
