import { AsyncResource } from 'node:async_hooks';
import type { Db } from '../kernel/database/db.js';
import type { Clock } from '../kernel/clock/clock.js';
import { RESULTS } from './deliveries.queries.js';
import type { FailureReason } from './guarded-http.js';

/** The outcome of an attempt, or of a delivery that needs none any more. */
export interface Outcome {
  readonly id: number;
  readonly targetId: string;
  /** Undefined: the delivery is finished. */
  readonly again?: { readonly attempt: number; readonly delayMs: number; readonly reason: FailureReason };
  /** For `last_status`; undefined when no attempt was made. */
  readonly status?: string;
  /** Its effect on the count of consecutive exhausted events; undefined: none. */
  readonly row?: 'delivered' | 'exhausted';
}

/** The new state of a target. */
export interface TargetState {
  id: string;
  product: string;
  enabled: boolean;
  exhausted_in_row: number;
}

interface PendingResult {
  readonly outcome: Outcome;
  readonly written: () => void;
}

const MAX_BATCH = 500;
/** Between two attempts to write, in milliseconds: well below the time after an outage in which nobody takes over. */
const LONGEST_PAUSE_MS = 1_000;

/**
 * Collects outcomes for a few milliseconds and writes them in one statement, one statement at a time. Outcomes that
 * cannot be written are kept and retried: an answered attempt must not be sent twice because the database was away.
 */
export class ResultBuffer {
  private waiting: PendingResult[] = [];
  /** Outside any request's context, whichever delivery's outcome came first. */
  private readonly writeApart = AsyncResource.bind(() => this.write());
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private failures = 0;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly delayMs: number,
    private readonly onWritten: (outcomes: readonly Outcome[], targets: readonly TargetState[]) => void,
    private readonly onOutage: (error: Error) => void,
  ) {}

  /** Resolves when the outcome is written, or the buffer was closed. */
  add(outcome: Outcome): Promise<void> {
    if (this.closed) return Promise.resolve();
    return new Promise<void>((written) => {
      this.waiting.push({ outcome, written });
      if (this.waiting.length >= MAX_BATCH) this.writeApart();
      else if (!this.timer && !this.writing) this.timer = setTimeout(this.writeApart, this.delayMs);
    });
  }

  /** Writes waiting outcomes without delay. */
  async flush(): Promise<void> {
    while (!this.closed && (this.writing || this.waiting.length > 0)) {
      if (this.writing) await this.writing;
      else this.writeApart();
    }
  }

  /** Drops waiting outcomes; their callers continue. */
  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    for (const { written } of this.waiting.splice(0)) written();
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.writing || this.waiting.length === 0) return;
    const batch = this.waiting.splice(0, MAX_BATCH);
    this.writing = this.send(batch).then((pause) => {
      this.writing = undefined;
      if (this.waiting.length > 0 && !this.closed) {
        this.timer = setTimeout(
          this.writeApart,
          this.waiting.length >= MAX_BATCH && pause === 0 ? 0 : pause || this.delayMs,
        );
      }
    });
  }

  /** Returns the delay of the next write; 0: as usual. */
  private async send(batch: PendingResult[]): Promise<number> {
    const outcomes = batch.map(({ outcome }) => outcome);
    const again = outcomes.flatMap(({ id, again: next }) => (next ? [{ id, ...next }] : []));
    const targets = changesOf(outcomes);
    let rows: TargetState[];
    try {
      rows = await this.db.run<TargetState>(RESULTS, [
        outcomes.filter((outcome) => !outcome.again).map(({ id }) => id),
        again.map(({ id }) => id),
        again.map(({ attempt }) => attempt),
        again.map(({ delayMs }) => delayMs),
        again.map(({ reason }) => reason),
        targets.map(({ id }) => id),
        targets.map(({ status }) => status),
        targets.map(({ reset }) => reset),
        targets.map(({ exhausted }) => exhausted),
        this.clock.wallOffsetMicros,
      ]);
    } catch (error) {
      if (this.closed) {
        for (const { written } of batch) written();
        return 0;
      }
      if (this.failures++ === 0) this.onOutage(error as Error);
      this.waiting.unshift(...batch);
      return Math.min(50 * 2 ** this.failures, LONGEST_PAUSE_MS);
    }
    this.failures = 0;
    for (const { written } of batch) written();
    this.onWritten(outcomes, rows);
    return 0;
  }
}

/** The last status of each target, and the change of its count of exhausted events. */
function changesOf(outcomes: readonly Outcome[]): { id: string; status: string; reset: boolean; exhausted: number }[] {
  const targets = new Map<string, { id: string; status: string; reset: boolean; exhausted: number }>();
  for (const { targetId, status, row } of outcomes) {
    if (status === undefined) continue;
    const entry = targets.get(targetId) ?? { id: targetId, status, reset: false, exhausted: 0 };
    entry.status = status;
    if (row === 'delivered') Object.assign(entry, { reset: true, exhausted: 0 });
    if (row === 'exhausted') entry.exhausted++;
    targets.set(targetId, entry);
  }
  return [...targets.values()];
}
