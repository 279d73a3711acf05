import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../clock/clock.js';
import type { BatchStatement, CallColumn, TakingStatement } from '../database/batch-statement.js';
import { byNumber, coalesce } from '../database/coalesce.js';
import { Db } from '../database/db.js';
import type { Statement } from '../database/statement.js';
import { currentCall, currentCause } from '../http/call-context.js';
import type { Policy } from '../limits/limits.js';
import { PendingTake } from '../limits/pending-take.js';
import type { StatementTakes } from '../limits/statement-takes.js';
import { EventLog, queuedFor } from './event-log.js';

/** The result of a batch's statement for each of its rows. */
export interface BatchedRow extends Record<string, unknown> {
  /** The row's number in its batch. */
  n: number;
  /**
   * `done`, a refusal, or `again`: nothing was done, as the data it relied on changed meanwhile or an earlier row of
   * the batch comes first. `untaken`: its pending take was refused, or its proof did not hold.
   */
  outcome: string;
  /** In the first row of a batch: the targets for which deliveries were queued (`queuedFor`). */
  queued: string[] | null;
}

type Columns<C extends string> = Readonly<Record<Exclude<C, CallColumn>, unknown>>;

type Verb<C extends string> = <R extends BatchedRow>(tenantId: number, row: Columns<C>) => Promise<R>;

type TakeKind = Policy['kind'];

interface VerbOptions<R> {
  readonly name: string;
  readonly together: (row: R) => string;
  readonly takes?: TakeKind;
}

/** How many tenants whose calls the lone statement does not serve are remembered, and how long. */
const UNSERVED = { max: 10_000, ttl: 10_000 } as const;

/** Operations as one statement for concurrent calls: locks, changes, events and deliveries of a tenant's batch. */
@Injectable()
export class BatchedWrites {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly events: EventLog,
  ) {}

  /**
   * Makes an operation of a statement: concurrent calls of a tenant share one execution, and a call whose row answers
   * `again` joins the next. A call with a pending take passes it along; if that is refused, or its caller has changed,
   * nothing is done and the call ends as its guard says.
   * @param name what the batches do, for the metrics
   * @param together groups calls that can only be late together: those that wait for the same lock
   * @param takes the kind of takes that may be passed along
   */
  verb<C extends string>(batch: BatchStatement<C>, { name, together, takes: kind }: VerbOptions<Columns<C>>): Verb<C> {
    type Row = Record<C, unknown> & { tenant_id: number; pending?: PendingTake };
    const withTakes = takingOnce(batch, (along, first, after) => along.parts(kind as TakeKind, first, after));
    const { lone } = batch;
    const loneWithTakes = lone && takingOnce(lone, (along, first, after) => along.lonePart(first, after));
    const unserved = new LRUCache<number, true>(UNSERVED);

    const runTogether = (rows: Row[]): Promise<BatchedRow[]> => {
      const values: unknown[] = batch.columns.map((column) => rows.map((row) => row[column]));
      const along = rows.find(({ pending }) => pending)?.pending?.along;
      if (along)
        values.push(
          ...along.values(
            kind as TakeKind,
            rows.map(({ pending }) => pending?.take),
          ),
        );
      // a batch belongs to one lane, so to one tenant
      return this.db.run<BatchedRow>(along ? withTakes(along) : batch, values, rows[0]?.tenant_id);
    };

    const runAlone = async (row: Row): Promise<BatchedRow[]> => {
      if (!lone || !loneWithTakes || unserved.has(row.tenant_id)) return runTogether([row]);
      const values: unknown[] = batch.columns.map((column) => row[column]);
      const { pending, tenant_id: tenantId } = row;
      if (pending) values.push(...pending.along.loneValues(pending.take));
      const answered = await this.db.run<BatchedRow>(pending ? loneWithTakes(pending.along) : lone, values, tenantId);
      if (answered.length > 0) return answered;
      unserved.set(tenantId, true);
      return runTogether([row]);
    };

    const send = coalesce<Row, BatchedRow>(
      async (rows) => {
        const answered = await (rows.length === 1 ? runAlone(rows[0] as Row) : runTogether(rows));
        this.events.wake(queuedFor(answered.flatMap(({ queued }) => queued ?? [])));
        return byNumber(answered, rows.length) as BatchedRow[];
      },
      {
        name,
        max: 128,
        lane: (row) => row.tenant_id,
        maxWaiting: 200,
        together: (row) => together(row),
      },
    );
    return async <R extends BatchedRow>(tenantId: number, row: Columns<C>): Promise<R> => {
      const { offsetMicros: clock, shiftMicros: shift } = this.clock;
      const sent = { ...row, tenant_id: tenantId, clock, shift, cause: currentCause() } as unknown as Row;
      const pending = currentCall()?.pending;
      let answer: BatchedRow | undefined;
      if (pending instanceof PendingTake && pending.isOpen && pending.take.policy.kind === kind) {
        const sending = send({ ...sent, pending });
        await pending.sentWith(sending.then(({ outcome }) => outcome !== 'untaken'));
        answer = await sending;
      } else await pending?.settle();
      while (!answer || answer.outcome === 'again' || answer.outcome === 'untaken') answer = await send(sent);
      return answer as R;
    };
  }
}

/** The variants of a statement with takes, each made when it is first asked for. */
function takingOnce(
  statement: TakingStatement,
  parts: (along: StatementTakes, first: number, after: string) => string,
): (along: StatementTakes) => Statement {
  const made = new Map<StatementTakes, Statement>();
  return (along) => {
    const known = made.get(along) ?? statement.taking(along.name, (first, after) => parts(along, first, after));
    made.set(along, known);
    return known;
  };
}
