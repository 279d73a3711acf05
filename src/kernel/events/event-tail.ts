import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Db } from '../database/db.js';
import { recordedEventOf, type EventColumns, type RecordedEvent } from './recorded-event.js';
import { Wakeups } from './wakeups.js';
import { READ_TAIL, END_OF_LOG } from './event-tail.queries.js';

export type EventsHandler = (events: readonly RecordedEvent[]) => void | Promise<void>;

const POLL_MS = 1_000;
/** Minimum time between two reads: under load events are read in batches. */
const READ_EVERY_MS = 5;
/** The most events per read. */
const MAX_READ = 500;
/**
 * A missing id is a rolled-back insert or a transaction that has not committed yet; it is not waited for longer than
 * this.
 */
const GAP_MS = 30_000;
/** How long a call of `attend` keeps the tail reading. */
const ATTEND_MS = 10_000;
const MAX_GAPS = 5_000;
/** How many ids before the end of the log are checked for gaps when the tail starts. */
const LOOK_BACK = 200;

interface EventRow extends EventColumns {
  id: number;
}

/**
 * Follows the event log in order of ids, in every replica. Within one conversation or organization that is the order of
 * commits; another's event may commit late under a lower id, so missing ids are looked for again for 30 s and passed on
 * when they appear. Nothing is read while there is no listener.
 */
@Injectable()
export class EventTail implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('EventTail');
  private readonly handlers = new Set<EventsHandler>();
  private readonly interests = new Set<() => boolean>();
  /** The highest id that was read; undefined while the tail does not read. */
  private position: number | undefined;
  /** Missing ids with the time they were first missed (performance.now), oldest first. */
  private readonly gaps = new Map<number, number>();
  private timer: NodeJS.Timeout | undefined;
  /** Runs outside any request's context, whichever request waits for the end of the log. */
  private readonly workApart = AsyncResource.bind(() => this.work());
  private due = Infinity;
  private readAt = -Infinity;
  private working: Promise<void> | undefined;
  private mustRepeat = false;
  private started = false;
  private attendedAt = -Infinity;
  private failures = 0;
  private unsubscribe: (() => void) | undefined;
  /** Callers that wait for a read which begins from now on; called with its error, if any. */
  private waiting: ((error?: Error) => void)[] = [];

  constructor(
    private readonly db: Db,
    private readonly wakeups: Wakeups,
  ) {}

  /** Handlers get batches in order of ids, one at a time; the next read waits for their promise. */
  onEvents(handler: EventsHandler): () => void {
    this.handlers.add(handler);
    return () => void this.handlers.delete(handler);
  }

  /**
   * The tail reads while any of these returns true; without one it reads while it has a handler. A new listener first
   * awaits `attend`, otherwise it may miss events of the next second.
   */
  interested(interest: () => boolean): () => void {
    this.interests.add(interest);
    return () => void this.interests.delete(interest);
  }

  /**
   * Resolves when everything that commits from now on will be passed on, if there is a listener within 10 s.
   * @throws when the store cannot be read
   */
  async attend(): Promise<void> {
    this.attendedAt = performance.now();
    if (this.position !== undefined) return;
    await this.working;
    if (this.position === undefined) await this.startAtEnd();
  }

  /**
   * Resolves when everything that had committed before this call has been passed on, so that a listener added then gets
   * nothing older. At once while the tail does not read.
   * @throws when the store cannot be read
   */
  async caughtUp(): Promise<void> {
    if (!this.started || this.position === undefined) return;
    const read = new Promise<void>((resolve, reject) => {
      this.waiting.push((error) => (error ? reject(error) : resolve()));
    });
    this.schedule(0);
    await read;
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  start(): void {
    if (this.started) return;
    this.started = true;
    // every commit wakes the tail, so without this each would set a timer while nobody listens
    this.unsubscribe = this.wakeups.onWake(() => {
      if (this.position !== undefined || this.wanted) this.schedule(0);
    });
    this.schedule(0);
  }

  async stop(): Promise<void> {
    this.started = false;
    this.unsubscribe?.();
    clearTimeout(this.timer);
    await this.working;
    for (const done of this.waiting.splice(0)) done();
  }

  private get wanted(): boolean {
    if (this.handlers.size === 0) return false;
    if (this.interests.size === 0 || performance.now() < this.attendedAt + ATTEND_MS) return true;
    for (const interest of this.interests) if (interest()) return true;
    return false;
  }

  /** The earliest of several options applies. */
  private schedule(inMs: number): void {
    if (!this.started) return;
    if (this.working) {
      if (inMs === 0) this.mustRepeat = true;
      return;
    }
    const now = performance.now();
    const at = Math.max(now + inMs, this.readAt + READ_EVERY_MS);
    if (at >= this.due) return;
    clearTimeout(this.timer);
    this.due = at;
    this.timer = setTimeout(this.workApart, at - now).unref();
  }

  private work(): void {
    this.due = Infinity;
    this.mustRepeat = false;
    this.readAt = performance.now();
    const waiting = this.waiting;
    this.waiting = [];
    this.working = this.follow()
      .then(
        (toTheEnd) => {
          if (toTheEnd) for (const done of waiting) done();
          else this.waiting.unshift(...waiting);
          if (this.failures > 0) this.log.log('the event log can be read again');
          this.failures = 0;
          return this.mustRepeat ? 0 : POLL_MS;
        },
        (error: Error) => {
          for (const done of waiting) done(error);
          if (this.failures++ === 0) this.log.warn(`the event log cannot be read: ${error.message}`);
          return Math.min(100 * 2 ** this.failures, 2_000);
        },
      )
      .then((next) => {
        this.working = undefined;
        this.schedule(next);
      });
  }

  /** Returns whether the end of the log was reached. */
  private async follow(): Promise<boolean> {
    if (!this.wanted) {
      this.position = undefined;
      this.gaps.clear();
      return true;
    }
    if (this.position === undefined) {
      await this.startAtEnd();
      return true;
    }
    const missing = this.stillMissing();
    const rows = await this.db.read<EventRow>(READ_TAIL, [this.position, missing, MAX_READ]);
    if (rows.length === 0) return true;
    const now = performance.now();
    let fresh = 0;
    for (const { id } of rows) {
      if (this.gaps.delete(id)) continue;
      fresh++;
      this.miss(this.position + 1, id - 1, now);
      this.position = id;
    }
    const toTheEnd = fresh < MAX_READ;
    if (!toTheEnd) this.mustRepeat = true;
    await this.emit(rows);
    return toTheEnd;
  }

  private async startAtEnd(): Promise<void> {
    const [end] = await this.db.read<{ last: number; missing: number[] }>(END_OF_LOG, [LOOK_BACK]);
    if (end === undefined || this.position !== undefined) return;
    const now = performance.now();
    for (const id of end.missing) this.gaps.set(id, now);
    this.position = end.last;
  }

  private miss(first: number, last: number, now: number): void {
    for (let id = Math.max(first, last - MAX_GAPS + 1); id <= last; id++) this.gaps.set(id, now);
    // a Map keeps the order of insertion, so the oldest go first
    for (const id of this.gaps.keys()) {
      if (this.gaps.size <= MAX_GAPS) break;
      this.gaps.delete(id);
    }
  }

  private stillMissing(): number[] {
    const oldest = performance.now() - GAP_MS;
    for (const [id, since] of this.gaps) {
      if (since >= oldest) break;
      this.gaps.delete(id);
    }
    return [...this.gaps.keys()];
  }

  private async emit(rows: readonly EventRow[]): Promise<void> {
    const events = rows.map((row) => recordedEventOf(row.id, row));
    for (const handler of this.handlers) {
      try {
        await handler(events);
      } catch (error) {
        // an error in one listener must not stop the others, nor the log
        this.log.error(`a listener failed: ${(error as Error).message}`, (error as Error).stack);
      }
    }
  }
}
