import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';

/** A sandbox's own time: ahead of (or behind) real time, or at a standstill. */
export interface SandboxTime {
  readonly offsetMicros: number;
  /** Microseconds since 1970; null while time runs. */
  readonly frozenAt: number | null;
}

/** In whose time a request or a piece of work lives. */
interface Place {
  time: SandboxTime | null;
}

const places = new AsyncLocalStorage<Place>();

/** Runs a request in a place of its own, where `enter` says whose time it is. */
export const atPlace = (work: () => void): void => places.run({ time: null }, work);

/**
 * An offset from here on is no offset but says where time stands, that much later: so SQL tells one from the other
 * (`sqlNowMicros`). Moments and offsets are below it up to the year 2112, and twice it is still a whole double.
 */
const STANDS = 4_500_000_000_000_000;

/** Sandboxes' clocks stay below this, in microseconds since 1970 (2100-01-01). */
export const LATEST_SANDBOX_MICROS = 4_102_444_800_000_000;

/**
 * The one source of time. What replicas share (message ts, rate windows, leases) reads the store's clock plus
 * `offsetMicros`, so that replicas agree; everything else reads this process's clock plus the same offset. Tests pin
 * time by moving the offset.
 *
 * A sandbox may have a time of its own. A request lives in its caller's time from where the caller is known (`enter`);
 * what works for a sandbox outside a request uses `within`. Everything then reads that time, but what protects or
 * measures the server (sessions, leases, time-outs), which asks `wall…`. A batch that serves several callers has no
 * caller's time: who joins it brings `offsetMicros` along, taken when they join.
 */
@Injectable()
export class Clock {
  private shift = 0;
  /** Where time stands, in microseconds; undefined while it runs. */
  private stillAt: number | undefined;
  /** Whether any sandbox ever had a time of its own in this process. */
  private anyShifted = false;

  /** From now on this request lives in its sandbox's time; null: real time. Without a place nothing happens. */
  enter(time: SandboxTime | null | undefined): void {
    if (!time && !this.anyShifted) return;
    const place = places.getStore();
    if (place) place.time = time ?? null;
    if (time) this.anyShifted = true;
  }

  /** Runs work in a sandbox's time; null: in real time. */
  within<T>(time: SandboxTime | null | undefined, work: () => T): T {
    if (time) this.anyShifted = true;
    return places.run({ time: time ?? null }, work);
  }

  private get own(): SandboxTime | null {
    return this.anyShifted ? (places.getStore()?.time ?? null) : null;
  }

  /** Microseconds to add to the store's clock, 0 where time is real. Pass it to SQL as `$n::bigint`, for `sqlNowMicros` only. */
  get offsetMicros(): number {
    const { own } = this;
    if (own) return own.frozenAt === null ? this.wallOffsetMicros + own.offsetMicros : STANDS + own.frozenAt;
    return this.wallOffsetMicros;
  }

  /** How far the caller's sandbox is from real time, as `sandbox_shift` of the migrations computes it; null: not at all. */
  get shiftMicros(): number | null {
    const { own } = this;
    if (!own) return null;
    return own.frozenAt === null ? own.offsetMicros || null : STANDS + own.frozenAt;
  }

  /** What a clock that is so far from real time tells now, in milliseconds. */
  shiftedMs(shift: number | null): number {
    if (shift === null) return this.wallMs();
    return shift >= STANDS ? Math.floor((shift - STANDS) / 1000) : this.wallMs() + Math.round(shift / 1000);
  }

  /** The same in real time, whoever calls: 0 outside tests. */
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

  /** Milliseconds since 1970 in real time, whoever calls. */
  wallMs(): number {
    return this.stillAt === undefined ? Date.now() + Math.round(this.shift / 1000) : Math.floor(this.stillAt / 1000);
  }

  /** Microseconds since 1970 in real time. */
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

  /** For tests: shifts time by `ms` relative to what it is now. */
  advance(ms: number): void {
    if (this.stillAt === undefined) this.shift += ms * 1000;
    else this.stillAt += ms * 1000;
  }

  /** For tests: stops time; the store's clock stands still with it, but for what a statement takes to arrive. */
  freeze(): void {
    this.stillAt = this.nowMicros();
  }

  /** For tests: back to real time. */
  reset(): void {
    this.shift = 0;
    this.stillAt = undefined;
  }
}

const processMicros = (): number => Math.floor((performance.timeOrigin + performance.now()) * 1000);

/** SQL for the store's time in microseconds, moved by the clock's offset in parameter `param`, or where that says time stands. */
export const sqlNowMicros = (param: string): string =>
  `(CASE WHEN ${param}::bigint >= ${STANDS} THEN ${param}::bigint - ${STANDS}
     ELSE (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + ${param}::bigint END)`;
