import type { Clock } from '../kernel/clock/clock.js';
import type { Db, Tx } from '../kernel/database/db.js';
import type { EngineContext } from './engine-context.js';
import { MOVE_DELIVERIES, NEXT_DUE, COUNT_BUSY } from './delivery-times.queries.js';

const SEARCH_EVERY_MS = 10;
/** The sender is woken again after this many checks, as another replica may have been busy. */
const WAKE_EVERY = 20;

/** Deliveries by the clock of their sandbox: when they are due, and whether they have been sent. */
export class DeliveryTimes {
  constructor(
    private readonly context: EngineContext,
    private readonly wakeAll: () => void,
  ) {}

  private get db(): Db {
    return this.context.db;
  }

  private get clock(): Clock {
    return this.context.clock;
  }

  /** The sandbox's clock moved from `before` to `after`, in microseconds. */
  async move(tx: Tx, tenantId: number, times: { before: number; after: number; stands: boolean }): Promise<void> {
    const { before, after, stands } = times;
    await tx.query(MOVE_DELIVERIES, [tenantId, before, this.clock.wallOffsetMicros, after, stands]);
    tx.afterCommit(() => this.wakeAll());
  }

  /** When the next one is due, by the sandbox's clock, whose time is `now`; null: none waits. */
  async next(tenantId: number, now: number): Promise<number | null> {
    const [row] = await this.db.read<{ due: number | null }>(NEXT_DUE, [tenantId, now, this.clock.wallOffsetMicros]);
    return row?.due ?? null;
  }

  /** Resolves when nothing is in flight any more, or with false at `end` (performance.now()). */
  async settled(tenantId: number, end: number): Promise<boolean> {
    for (let look = 0; ; look++) {
      const { products, targetIds } = this.context.dialects.reachable();
      const values = [tenantId, this.clock.wallOffsetMicros, products, targetIds];
      const [row] = await this.db.read<{ n: number }>(COUNT_BUSY, values);
      if ((row?.n ?? 0) === 0) return true;
      if (performance.now() >= end || !this.context.isRunning()) return false;
      if (look % WAKE_EVERY === 0) this.wakeAll();
      await new Promise((again) => setTimeout(again, SEARCH_EVERY_MS));
    }
  }
}
