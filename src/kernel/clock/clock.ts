import { Injectable } from '@nestjs/common';

/**
 * The one source of time. What replicas share (message ts, rate windows, leases) reads the store's clock plus
 * `offsetMicros`, so that replicas agree; everything else reads this process's clock plus the same offset. Tests pin
 * time by moving the offset.
 */
@Injectable()
export class Clock {
  private shift = 0;
  /** Where time stands, in microseconds; undefined while it runs. */
  private stillAt: number | undefined;

  /** Microseconds to add to the store's clock, 0 outside tests. Pass it to SQL as `$n::bigint`. */
  get offsetMicros(): number {
    return this.stillAt === undefined ? this.shift : this.stillAt - processMicros();
  }

  /** Milliseconds since 1970. */
  nowMs(): number {
    return this.stillAt === undefined ? Date.now() + Math.round(this.shift / 1000) : Math.floor(this.stillAt / 1000);
  }

  /** Whole seconds since 1970: the unit of `created`, `event_time`, `cache_ts` (messaging.md A.11). */
  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1000);
  }

  /** Microseconds since 1970, with the process's own resolution. */
  nowMicros(): number {
    return this.stillAt ?? processMicros() + this.shift;
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

/** SQL for the store's time in microseconds, moved by the clock's offset in parameter `param`. */
export const sqlNowMicros = (param: string): string =>
  `((extract(epoch FROM clock_timestamp()) * 1000000)::bigint + ${param}::bigint)`;
