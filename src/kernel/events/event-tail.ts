import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Db } from '../database/db.js';
import { recordedEventOf, type EventColumns, type RecordedEvent } from './recorded-event.js';
import { Wakeups } from './wakeups.js';
import { READ_TAIL, END_OF_LOG } from './event-tail.queries.js';

export type EventsHandler = (events: readonly RecordedEvent[]) => void | Promise<void>;

const POLL_MS = 1_000;
/** Least time between two reads: under load events are read in batches. */
const READ_EVERY_MS = 5;
/** Events of one read. */
const READ_MOST = 500;
/** A missing id is a rolled-back insert or a transaction that has not committed yet; nobody waits longer for it. */
const GAP_MS = 30_000;
/** How long `attend` counts as interest. */
const ATTEND_MS = 10_000;
const MOST_GAPS = 5_000;
/** Ids before the end of the log that are looked over for gaps when the tail starts. */
const LOOK_BACK = 200;

interface EventRow extends EventColumns {
  id: number;
}

/**
 * Follows the event log in order of ids, in every replica. Within one conversation or
 * organization that is the order of commits; another's event may commit late under a lower id, so missing ids are asked
 * for again for 30 s and handed on when they appear. Nothing is read while nobody is interested.
 */
@Injectable()
export class EventTail implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('EventTail');
  private readonly handlers = new Set<EventsHandler>();
  private readonly interests = new Set<() => boolean>();
  /** The highest id that was read; undefined while nobody is interested. */
  private position: number | undefined;
  /** Missing ids and when they were missed first (performance.now), oldest first. */
  private readonly gaps = new Map<number, number>();
  private timer: NodeJS.Timeout | undefined;
  /** Outside any request's context, whichever request waits for the end of the log. */
  private readonly workApart = AsyncResource.bind(() => this.work());
  private due = Infinity;
  private readAt = -Infinity;
  private working: Promise<void> | undefined;
  private mustRepeat = false;
  private started = false;
  private attendedAt = -Infinity;
  private failures = 0;
  private unsubscribe: (() => void) | undefined;
  /** Who waits for a read that begins from now on; called with what went wrong. */
  private waiting: ((error?: Error) => void)[] = [];

  constructor(
    private readonly db: Db,
    private readonly wakeups: Wakeups,
  ) {}

  /** Handlers get batches in order of ids, one batch at a time; the next read waits for what they return. */
  onEvents(handler: EventsHandler): () => void {
    this.handlers.add(handler);
    return () => void this.handlers.delete(handler);
  }

  /**
   * The tail reads while any of these answers true; without one it reads as long as it has a handler. Who becomes interested awaits
   * `attend`, or events of the next second may be missed.
   */
  interested(interest: () => boolean): () => void {
    this.interests.add(interest);
    return () => void this.interests.delete(interest);
  }

  /**
   * Resolves when everything that commits from now on will be handed on, as long as somebody is interested within
   * 10 s. @throws when the store cannot be read
   */
  async attend(): Promise<void> {
    this.attendedAt = performance.now();
    if (this.position !== undefined) return;
    await this.working;
    if (this.position === undefined) await this.startAtEnd();
  }

  /**
   * Resolves when everything that had committed before this call has been handed on, so that whoever starts to listen
   * then hears nothing older. At once while the tail does not read.
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
    this.unsubscribe = this.wakeups.onWake(() => this.schedule(0));
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

  /** The earliest of several options counts. */
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

  /** Answers whether the end of the log was reached. */
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
    const rows = await this.db.read<EventRow>(READ_TAIL, [this.position, missing, READ_MOST]);
    if (rows.length === 0) return true;
    const now = performance.now();
    let fresh = 0;
    for (const { id } of rows) {
      if (this.gaps.delete(id)) continue;
      fresh++;
      this.miss(this.position + 1, id - 1, now);
      this.position = id;
    }
    const toTheEnd = fresh < READ_MOST;
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
    for (let id = Math.max(first, last - MOST_GAPS + 1); id <= last; id++) this.gaps.set(id, now);
    // a Map keeps the order of insertion, so the oldest go first
    for (const id of this.gaps.keys()) {
      if (this.gaps.size <= MOST_GAPS) break;
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
        // one listener's fault must not stop the others, nor the log
        this.log.error(`a listener failed: ${(error as Error).message}`, (error as Error).stack);
      }
    }
  }
}
