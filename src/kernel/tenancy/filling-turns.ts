import { Injectable } from '@nestjs/common';
import { TenantSlots } from '../limits/tenant-slots.js';

/** What works on whole tenants keeps the store busy, so it takes turns: so many of a kind at once in a process. */
const AT_ONCE = 2;
/** All who wait for a place stand in one line. */
const ALL = 0;
/** The longest that something new waits for resets under way, in milliseconds: one who resets all the time costs others no more. */
const MOST_MS = 30;
/** No work on a whole tenant for so long, in milliseconds: a suite is not about to ask for more. */
const QUIET_MS = 100;

/**
 * Who works on whole tenants when: everything behind resets, which a test waits for that is running already; what nobody waits
 * for behind everything.
 */
@Injectable()
export class FillingTurns {
  private readonly places = { fill: newPlaces(), end: newPlaces(), reset: newPlaces() };
  private resets = 0;
  private underWay = 0;
  private lastAt = -QUIET_MS;
  private readonly waiting = new Set<() => void>();

  /** Runs what makes or fills a tenant, in its turn. */
  fill<T>(work: () => Promise<T>): Promise<T> {
    return this.behindResets(this.places.fill, work);
  }

  /** Runs what ends a tenant, in its turn. */
  end<T>(work: () => Promise<T>): Promise<T> {
    return this.behindResets(this.places.end, work);
  }

  /** Runs a reset: nothing new begins meanwhile, for a moment. More of them at once would each take longer. */
  async reset<T>(work: () => Promise<T>): Promise<T> {
    this.resets++;
    try {
      return await this.inTurn(this.places.reset, work);
    } finally {
      this.resets--;
      if (this.resets === 0) for (const go of this.waiting) go();
    }
  }

  /** Resolves when nobody has worked on a whole tenant for a moment, at the latest after `mostMs`. */
  async quiet(mostMs: number): Promise<void> {
    const until = performance.now() + mostMs;
    for (;;) {
      const now = performance.now();
      const left = this.underWay > 0 ? QUIET_MS : this.lastAt + QUIET_MS - now;
      if (left <= 0 || now >= until) return;
      await new Promise((again) => setTimeout(again, Math.min(left, until - now)));
    }
  }

  private behindResets<T>(places: TenantSlots, work: () => Promise<T>): Promise<T> {
    return this.inTurn(places, async () => {
      if (this.resets > 0) await this.untilReset();
      return work();
    });
  }

  private async inTurn<T>(places: TenantSlots, work: () => Promise<T>): Promise<T> {
    this.underWay++;
    await places.take(ALL);
    try {
      return await work();
    } finally {
      places.give(ALL);
      this.underWay--;
      this.lastAt = performance.now();
    }
  }

  private untilReset(): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        this.waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, MOST_MS);
      this.waiting.add(go);
    });
  }
}

const newPlaces = (): TenantSlots => new TenantSlots(AT_ONCE, AT_ONCE);
