import { Injectable } from '@nestjs/common';
import { TenantSlots } from '../limits/tenant-slots.js';

/** What works on whole tenants keeps the store busy, so it takes turns: so many of a kind at once in a process. */
const AT_ONCE = 2;
/** All who wait for a place stand in one line. */
const ALL = 0;
/** The longest that something new waits for the resets that it finds under way, in milliseconds: large ones cost others no more. */
const MOST_MS = 250;
/** No work on a whole tenant for so long, in milliseconds: a suite is not about to ask for more. */
const QUIET_MS = 100;

/**
 * Who works on whole tenants when: everything behind resets, which a test waits for that is running already; what nobody waits
 * for behind everything.
 */
@Injectable()
export class FillingTurns {
  private readonly places = { fill: newPlaces(), end: newPlaces(), reset: newPlaces() };
  private readonly resets = new Set<Promise<unknown>>();
  private underWay = 0;
  private lastAt = -QUIET_MS;

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
    const reset = this.inTurn(this.places.reset, work);
    this.resets.add(reset);
    try {
      return await reset;
    } finally {
      this.resets.delete(reset);
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
      if (this.resets.size > 0) await this.untilReset();
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

  /** Those that come later are not waited for: there may always be one. */
  private async untilReset(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((go) => (timer = setTimeout(go, MOST_MS)));
    await Promise.race([Promise.allSettled(this.resets), late]);
    clearTimeout(timer);
  }
}

const newPlaces = (): TenantSlots => new TenantSlots(AT_ONCE, AT_ONCE);
