import { Injectable } from '@nestjs/common';
import { FairQueue } from '../limits/fair-queue.js';

/**
 * Work on whole tenants keeps the store busy, so it takes turns: this many of each kind at once in a process. Resets
 * are mostly one statement, and waiting for each other would take longer than running together; making and deleting
 * small tenants gains nothing from concurrency and takes the cores from resets.
 */
const AT_ONCE = { make: 1, fill: 2, end: 1, reset: 4 };
/** The most rows of a small tenant's document, which takes some ten milliseconds. */
const MAX_SMALL_ROWS = 500;
/** All creations of tenants share one line, whoever makes them. */
const NOBODY_YET = 0;
/**
 * The longest that new work waits for running resets, and resets and deletions for a place, in milliseconds: large
 * resets, and those that wait for writes in their tenant, delay others no longer.
 */
const DEFAULT_MAX_MS = 250;
/** No work on a whole tenant for this long, in milliseconds: a suite is not about to request more. */
const QUIET_MS = 100;

/**
 * Schedules work on whole tenants: everything else comes after resets, for which a running test waits; work that nobody
 * waits for comes last.
 */
@Injectable()
export class FillingTurns {
  private readonly places = {
    make: new FairQueue({ laneWidth: () => AT_ONCE.make }),
    fill: new FairQueue({ laneWidth: () => AT_ONCE.fill }),
    end: new FairQueue({ width: AT_ONCE.end, laneWidth: () => 1 }),
    reset: new FairQueue({ width: AT_ONCE.reset, laneWidth: () => 1 }),
  };
  /** @internal A spec on a slow machine sets another one. */
  maxMs = DEFAULT_MAX_MS;
  private readonly resets = new Set<Promise<unknown>>();
  private underWay = 0;
  private lastAt = -QUIET_MS;

  /**
   * Runs the creation of a tenant with this many rows in its turn. Small ones have a line of their own, so that none
   * waits for a document of thousands of rows.
   */
  make<T>(rows: number, work: () => Promise<T>): Promise<T> {
    return this.inLine(rows > MAX_SMALL_ROWS ? this.places.fill : this.places.make, work);
  }

  /** Runs work that fills an existing tenant, in its turn. */
  fill<T>(work: () => Promise<T>): Promise<T> {
    return this.inLine(this.places.fill, work);
  }

  /** Runs work that deletes a tenant, in its turn. */
  end<T>(tenantId: number, work: () => Promise<T>): Promise<T> {
    return this.counted(() =>
      this.placed(this.places.end, tenantId, async () => {
        await this.untilReset();
        return work();
      }),
    );
  }

  /** Runs a reset: no new work starts meanwhile, for a moment. More concurrent resets would each take longer. */
  async reset<T>(tenantId: number, work: () => Promise<T>): Promise<T> {
    const reset = this.counted(() => this.placed(this.places.reset, tenantId, work));
    this.resets.add(reset);
    try {
      return await reset;
    } finally {
      this.resets.delete(reset);
    }
  }

  /**
   * For work on tenants that are not reset yet or any more, to await before each statement: waits for running resets,
   * altogether no longer than `maxMs`.
   */
  givingWay(): () => Promise<void> | undefined {
    let leftMs = this.maxMs;
    return () => {
      if (this.resets.size === 0 || leftMs <= 0) return undefined;
      const began = performance.now();
      return atMost(leftMs, Promise.allSettled(this.resets)).then((isInTime) => {
        leftMs = isInTime ? leftMs - (performance.now() - began) : 0;
      });
    };
  }

  /** Resolves when there has been no work on whole tenants for a moment, or after `mostMs`. */
  async quiet(mostMs: number): Promise<void> {
    const until = performance.now() + mostMs;
    for (;;) {
      const now = performance.now();
      const left = this.underWay > 0 ? QUIET_MS : this.lastAt + QUIET_MS - now;
      if (left <= 0 || now >= until) return;
      await new Promise((again) => setTimeout(again, Math.min(left, until - now)));
    }
  }

  private inLine<T>(places: FairQueue, work: () => Promise<T>): Promise<T> {
    return this.counted(() =>
      places.run(NOBODY_YET, async () => {
        await this.untilReset();
        return work();
      }),
    );
  }

  private async counted<T>(work: () => Promise<T>): Promise<T> {
    this.underWay++;
    try {
      return await work();
    } finally {
      this.underWay--;
      this.lastAt = performance.now();
    }
  }

  /** Runs work in a place of its tenant, or without one if that takes too long. */
  private async placed<T>(places: FairQueue, tenantId: number, work: () => Promise<T>): Promise<T> {
    const granted = places.take(tenantId);
    const give = (): void => places.leave(tenantId);
    if (granted && !(await atMost(this.maxMs, granted))) {
      void granted.then(give);
      return work();
    }
    try {
      return await work();
    } finally {
      give();
    }
  }

  /** Later ones are not waited for: there may always be one. */
  private async untilReset(): Promise<void> {
    if (this.resets.size > 0) await atMost(this.maxMs, Promise.allSettled(this.resets));
  }
}

/** Whether it happened in time. */
async function atMost(ms: number, event: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  const isInTime = await Promise.race([event.then(() => true), late]);
  clearTimeout(timer);
  return isInTime;
}
