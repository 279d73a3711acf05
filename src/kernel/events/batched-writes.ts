import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { drawnForEvent } from '../clock/request-sandbox.js';
import type { BatchStatement, CallColumn } from '../database/batch-statement.js';
import { byNumber, coalesce } from '../database/coalesce.js';
import { Db } from '../database/db.js';
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

type Columns<C extends string> = Readonly<Record<Exclude<C, CallColumn>, unknown>>;

type Verb<C extends string> = <R extends BatchedRow>(tenantId: number, row: Columns<C>) => Promise<R>;

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
   * `again` joins the next.
   * @param options.name what the batches do, for the metrics
   * @param options.together groups calls that can only be late together: those that wait for the same lock
   */
  verb<C extends string>(
    batch: BatchStatement<C>,
    { name, together }: { readonly name: string; readonly together: (row: Columns<C>) => string },
  ): Verb<C> {
    type Row = Record<C, unknown> & { tenant_id: number };
    const send = coalesce<Row, BatchedRow>(
      async (rows) => {
        const values = batch.columns.map((column) => rows.map((row) => row[column]));
        // a batch belongs to one lane, so to one tenant
        const answered = await this.db.run<BatchedRow>(batch, values, rows[0]?.tenant_id);
        this.events.wake(queuedFor(answered.flatMap(({ queued }) => queued ?? [])));
        return byNumber(answered, rows.length) as BatchedRow[];
      },
      { name, max: 128, lane: (row) => row.tenant_id, maxWaiting: 200, together },
    );
    return async <R extends BatchedRow>(tenantId: number, row: Columns<C>): Promise<R> => {
      const { offsetMicros: clock, shiftMicros: shift } = this.clock;
      const origin = { cause: currentCause(), draw: drawnForEvent() };
      const sent = { ...row, tenant_id: tenantId, clock, shift, ...origin } as unknown as Row;
      let answer = await send(sent);
      while (answer.outcome === 'again') answer = await send(sent);
      return answer as R;
    };
  }
}
