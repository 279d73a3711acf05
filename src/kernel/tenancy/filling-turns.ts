import { Injectable } from '@nestjs/common';
import { TenantSlots } from '../limits/tenant-slots.js';

/** What fills tenants keeps the store busy and belongs to no tenant yet, so it takes turns: so many at once in a process. */
const AT_ONCE = 2;
const NOBODY_YET = 0;
/** The longest that something new waits for resets under way, in milliseconds: one who resets all the time costs others no more. */
const MOST_MS = 30;

/** Who fills tenants when: in turn, and behind resets, which a test waits for that is running already. */
@Injectable()
export class FillingTurns {
  private readonly slots = new TenantSlots(AT_ONCE, AT_ONCE);
  private resets = 0;
  private readonly waiting = new Set<() => void>();

  /** Runs what makes or fills a tenant, in its turn. */
  async fill<T>(work: () => Promise<T>): Promise<T> {
    await this.slots.take(NOBODY_YET);
    try {
      if (this.resets > 0) await this.untilReset();
      return await work();
    } finally {
      this.slots.give(NOBODY_YET);
    }
  }

  /** Runs a reset: nothing new begins meanwhile, for a moment. */
  async reset<T>(work: () => Promise<T>): Promise<T> {
    this.resets++;
    try {
      return await work();
    } finally {
      this.resets--;
      if (this.resets === 0) for (const go of this.waiting) go();
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
