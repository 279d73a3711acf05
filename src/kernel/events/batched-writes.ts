import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import type { BatchStatement, CallColumn } from '../database/batch-statement.js';
import { coalesce } from '../database/coalesce.js';
import { Db } from '../database/db.js';
import { currentCause } from '../http/call-context.js';
import { EventLog } from './event-log.js';

/** What a batch's statement answers for each of its rows. */
export interface BatchedRow extends Record<string, unknown> {
  /** The row's number in its batch. */
  n: number;
  /**
   * `done`, why it was refused, or `again`: nothing was done, as what it goes by changed meanwhile or an earlier row of the
   * batch comes first.
   */
  outcome: string;
  /** Of the whole batch: deliveries were queued with it. */
  queued: boolean;
}

type Columns<C extends string> = Readonly<Record<Exclude<C, CallColumn>, unknown>>;

type Verb<C extends string> = <R extends BatchedRow>(tenantId: number, row: Columns<C>) => Promise<R>;

/** Verbs as one statement for all who call at once: locks, changes, events and deliveries of a tenant's batch. */
@Injectable()
export class BatchedWrites {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly events: EventLog,
  ) {}

  /**
   * Makes a verb of a statement: concurrent calls of a tenant share one, and a call whose row is to be done again joins the
   * next.
   * @param name what the batches do, for the figures
   * @param together calls that can only be late together: those that wait for the same lock
   */
  verb<C extends string>(
    batch: BatchStatement<C>,
    { name, together }: { name: string; together: (row: Columns<C>) => string },
  ): Verb<C> {
    type Row = Record<C, unknown> & { tenant_id: number };
    const send = coalesce<Row, BatchedRow>(
      async (rows) => {
        const values = batch.columns.map((column) => rows.map((row) => row[column]));
        // one lane's, so one tenant's
        const answered = await this.db.run<BatchedRow>(batch, values, rows[0]?.tenant_id);
        this.events.wake(answered.some(({ queued }) => queued));
        const answers = new Array<BatchedRow>(rows.length);
        for (const answer of answered) answers[answer.n - 1] = answer;
        return answers;
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
      let answer = await send(sent);
      while (answer.outcome === 'again') answer = await send(sent);
      return answer as R;
    };
  }
}
