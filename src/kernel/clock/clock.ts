import { Injectable } from '@nestjs/common';
import type { IdSpace } from '../ids/id-space.js';
import { byClock, enterIds, requests, type Due, type SandboxTime } from './request-sandbox.js';

/** What is entered of a sandbox. */
interface Entered {
  readonly time: SandboxTime | null;
  readonly ids: IdSpace | null;
}

/**
 * Marks a stopped clock: an offset from this value on is not an offset but the stopped time plus this value, so that
 * SQL can tell the two apart (`sqlNowMicros`). Times and offsets stay below it up to the year 2112, and twice this
 * value is still an exact double.
 */
const FROZEN_FLAG = 4_500_000_000_000_000;

/** What a clock with this difference to real time showed at a real moment, in milliseconds (`sandbox_moment`). */
export function shiftedBy(shift: number | null, wallMs: number): number {
  if (shift === null) return wallMs;
  return shift >= FROZEN_FLAG ? Math.floor((shift - FROZEN_FLAG) / 1000) : wallMs + Math.round(shift / 1000);
}

/** Sandboxes' clocks stay below this, in microseconds since 1970 (2100-01-01). */
export const LATEST_SANDBOX_MICROS = 4_102_444_800_000_000;

/**
 * The single source of time. Everything that replicas share (message ts, rate windows, leases) reads the store's clock
 * plus `offsetMicros`, so that replicas agree; everything else reads this process's clock plus the same offset. Tests
 * control time by the offset.
 *
 * A sandbox may have its own time: a request uses its caller's time once the caller is known (`enter`); work for a
 * sandbox outside a request uses `within`. Everything then reads that time, except what protects or measures the server
 * (sessions, leases, time-outs), which calls `wall…`. A batch that serves several callers has none of their times: each
 * call brings its `offsetMicros`, read when it joins the batch.
 */
@Injectable()
export class Clock {
  private shift = 0;
  /** The time at which the clock is stopped, in microseconds; undefined while it runs. */
  private stillAt: number | undefined;
  /** Whether any sandbox of this process ever had its own time. */
  private anyShifted = false;

  /**
   * The current request is about this sandbox: it goes by its time and speaks in its ids. Null: real time, and the
   * server's ids. Does nothing outside a request's context.
   */
  enter(sandbox: Entered | null | undefined): void {
    enterIds(sandbox?.ids);
    const time = sandbox?.time;
    if (!time && !this.anyShifted) return;
    const request = requests.getStore();
    if (request) request.time = time ?? null;
    if (time) this.anyShifted = true;
  }

  /** Runs work in a sandbox's time; null: in real time. */
  within<T>(time: SandboxTime | null | undefined, work: () => T): T {
    if (time) this.anyShifted = true;
    const { ids = null, isInner = false, draw = null, step } = requests.getStore() ?? {};
    return requests.run({ time: time ?? null, ids, isInner, draw, step }, work);
  }

  /** Runs what a sandbox's clock does to a thing: see `byClock`. */
  doing<T>(sandbox: Due | null, thing: string, work: () => T): T {
    if (sandbox?.time) this.anyShifted = true;
    return byClock(sandbox, thing, work);
  }

  private get own(): SandboxTime | null {
    return this.anyShifted ? (requests.getStore()?.time ?? null) : null;
  }

  /**
   * Microseconds to add to the store's clock, 0 for real time. Pass it to SQL as `$n::bigint`, for `sqlNowMicros` only.
   */
  get offsetMicros(): number {
    const { own } = this;
    if (own) return own.frozenAt === null ? this.wallOffsetMicros + own.offsetMicros : FROZEN_FLAG + own.frozenAt;
    return this.wallOffsetMicros;
  }

  /**
   * The difference between the caller's sandbox time and real time, as `sandbox_shift` of the migrations computes it;
   * null: none.
   */
  get shiftMicros(): number | null {
    const { own } = this;
    if (!own) return null;
    return own.frozenAt === null ? own.offsetMicros || null : FROZEN_FLAG + own.frozenAt;
  }

  /** What a clock with this difference to real time shows now, in milliseconds. */
  shiftedMs(shift: number | null): number {
    return shiftedBy(shift, this.wallMs());
  }

  /** The same for real time, independent of the caller: 0 outside tests. */
  get wallOffsetMicros(): number {
    return this.stillAt === undefined ? this.shift : this.stillAt - processMicros();
  }

  /** Milliseconds since 1970. */
  nowMs(): number {
    const { own } = this;
    if (own)
      return own.frozenAt === null
        ? this.wallMs() + Math.round(own.offsetMicros / 1000)
        : Math.floor(own.frozenAt / 1000);
    return this.wallMs();
  }

  /** Real milliseconds since 1970, independent of the caller. */
  wallMs(): number {
    return this.stillAt === undefined ? Date.now() + Math.round(this.shift / 1000) : Math.floor(this.stillAt / 1000);
  }

  /** Real microseconds since 1970. */
  wallMicros(): number {
    return this.stillAt ?? processMicros() + this.shift;
  }

  /** Whole seconds since 1970: the unit of `created`, `event_time`, `cache_ts` (docs/reference/chat.md#timestamps). */
  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1000);
  }

  /** Microseconds since 1970, with the process's own resolution. */
  nowMicros(): number {
    const { own } = this;
    if (own) return own.frozenAt ?? this.wallMicros() + own.offsetMicros;
    return this.wallMicros();
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  /** For tests: shifts the clock by `ms`. */
  advance(ms: number): void {
    if (this.stillAt === undefined) this.shift += ms * 1000;
    else this.stillAt += ms * 1000;
  }

  /** For tests: stops the clock; the store's clock stops with it, except for the time a statement takes to arrive. */
  freeze(): void {
    this.stillAt = this.nowMicros();
  }

  /** For tests: back to real time. */
  reset(): void {
    this.shift = 0;
    this.stillAt = undefined;
  }
}

let origin = performance.timeOrigin;

/**
 * This process's clock in microseconds since 1970. `performance.now()` has the microseconds, but stands still while the
 * machine sleeps and does not follow when its clock is set, so `Date.now()` has the milliseconds.
 */
function processMicros(): number {
  const ms = Date.now();
  const exact = origin + performance.now();
  const kept = Math.min(Math.max(exact, ms), ms + 0.999);
  origin += kept - exact;
  return Math.floor(kept * 1000);
}

/**
 * SQL for the store's time in microseconds, shifted by the offset in parameter `param`, or the stopped time that it
 * encodes.
 */
export const sqlNowMicros = (param: string): string =>
  `(CASE WHEN ${param}::bigint >= ${FROZEN_FLAG} THEN ${param}::bigint - ${FROZEN_FLAG}
     ELSE (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + ${param}::bigint END)`;
