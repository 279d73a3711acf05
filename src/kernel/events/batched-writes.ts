import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { drawnForEvent } from '../clock/request-sandbox.js';
import type { BatchStatement, CallColumn } from '../database/batch-statement.js';
import { byNumber, coalesce, wasRolledBack } from '../database/coalesce.js';
import { Db, type Tx } from '../database/db.js';
import { currentCause } from '../http/call-context.js';
import { EventLog, queuedFor } from './event-log.js';

/** The result of a batch's statement for each of its rows. */
export interface BatchedRow extends Record<string, unknown> {
  /** The row's number in its batch. */
  n: number;
  /**
   * `done`, a refusal, or `again`: nothing was done, as the data it relied on changed meanwhile or an earlier row of
   * the batch comes first.
   */
  outcome: string;
  /** In the first row of a batch: the targets for which deliveries were queued (`queuedFor`). */
  queued: string[] | null;
}

/** A call waits for the whole of the batch that it shares with other tenants. */
const MAX_SHARED = 32;

type Columns<C extends string> = Readonly<Record<Exclude<C, CallColumn>, unknown>>;

interface Verb<C extends string> {
  <R extends BatchedRow>(tenantId: number, row: Columns<C>): Promise<R>;
  /**
   * The same inside a transaction, as a batch of one. Its row must tell the statement to leave the recording of events to
   * the transaction.
   */
  within<R extends BatchedRow>(tx: Tx, tenantId: number, row: Columns<C>): Promise<R>;
}

/**
 * Operations as one statement for concurrent calls: locks, changes, events and deliveries of a batch. A tenant with calls
 * under way has batches of its own. The first call of one that has none shares a batch with those of others, which waits
 * for no lock: what is locked, or fails, is done in the tenant's own. One batch of each runs at a time, as the next one
 * gets larger meanwhile (docs/decisions/measured.md#the-database).
 */
@Injectable()
export class BatchedWrites {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly events: EventLog,
  ) {}

  /**
   * Makes an operation of a statement: concurrent calls of a tenant share one execution, and a call whose row answers
   * `again` joins the next.
   * @param options.name what the batches do, for the metrics
   * @param options.together groups calls that can only be late together: those that wait for the same lock
   */
  verb<C extends string>(
    batch: BatchStatement<C>,
    { name, together }: { readonly name: string; readonly together: (row: Columns<C>) => string },
  ): Verb<C> {
    type Row = Record<C, unknown> & { tenant_id: number };
    const valuesOf = (rows: readonly Row[]): unknown[][] =>
      batch.columns.map((column) => rows.map((row) => row[column]));
    const rowOf = (tenantId: number, row: Columns<C>, origin: { cause: string | null; draw: string | null }): Row => {
      const { offsetMicros: clock, shiftMicros: shift } = this.clock;
      return { ...row, tenant_id: tenantId, clock, shift, ...origin } as unknown as Row;
    };
    const answersOf = (answered: BatchedRow[], rows: readonly Row[]): (BatchedRow | undefined)[] => {
      this.events.wake(queuedFor(answered.flatMap(({ queued }) => queued ?? [])));
      return byNumber(answered, rows.length);
    };
    const sendApart = coalesce<Row, BatchedRow>(
      async (rows) => {
        // a batch belongs to one lane, so to one tenant
        const answered = await this.db.run<BatchedRow>(batch, valuesOf(rows), rows[0]?.tenant_id);
        return answersOf(answered, rows) as BatchedRow[];
      },
      { name, max: 128, inFlight: 1, lane: (row) => row.tenant_id, maxWaiting: 200, together },
    );
    const sendShared = coalesce<Row, BatchedRow | undefined>(
      async (rows) => {
        const tenantIds = rows.map((row) => row.tenant_id);
        try {
          return answersOf(await this.db.runShared<BatchedRow>(batch.shared, valuesOf(rows), tenantIds), rows);
        } catch (error) {
          if (!wasRolledBack(error)) throw error;
          return rows.map(() => undefined);
        }
      },
      { name, max: MAX_SHARED, inFlight: 1 },
    );
    const underWay = new Map<number, number>();
    const send = async (row: Row): Promise<BatchedRow> => {
      const { tenant_id: tenantId } = row;
      const others = underWay.get(tenantId) ?? 0;
      underWay.set(tenantId, others + 1);
      try {
        const answer = others === 0 ? await sendShared(row) : undefined;
        return answer && answer.outcome !== 'again' ? answer : await sendApart(row);
      } finally {
        const left = (underWay.get(tenantId) ?? 1) - 1;
        if (left === 0) underWay.delete(tenantId);
        else underWay.set(tenantId, left);
      }
    };
    const untilDone = async <R extends BatchedRow>(answer: () => Promise<BatchedRow>): Promise<R> => {
      for (;;) {
        const row = await answer();
        if (row.outcome !== 'again') return row as R;
      }
    };
    return Object.assign(
      <R extends BatchedRow>(tenantId: number, row: Columns<C>): Promise<R> => {
        const sent = rowOf(tenantId, row, { cause: currentCause(), draw: drawnForEvent() });
        return untilDone<R>(() => send(sent));
      },
      {
        within: <R extends BatchedRow>(tx: Tx, tenantId: number, row: Columns<C>): Promise<R> => {
          // the events of the transaction have an origin
          const sent = rowOf(tenantId, row, { cause: null, draw: null });
          return untilDone<R>(async () => (await tx.query<BatchedRow>(batch, valuesOf([sent])))[0] as BatchedRow);
        },
      },
    );
  }
}
