import { FairQueue } from '../limits/fair-queue.js';

interface Queue<T> {
  readonly items: T[];
  /** Items being processed. */
  working: number;
  /** Callers waiting for items that were added before them: resolved after this many more. */
  readonly waiting: { left: number; readonly done: () => void }[];
}

/**
 * Processes items in order within a tenant, tenants concurrently: a tenant whose work takes long delays only itself.
 * Tenants take turns at a limited number of places.
 */
export class TenantQueues<T> {
  private readonly tenants = new Map<number, Queue<T>>();
  private readonly turns: FairQueue;

  /**
   * @param work must not throw; gets the queued items, at most `batchOf(tenantId)` at once
   * @param most items of one tenant that may wait; beyond it all are dropped and `onOverflow` is called
   */
  constructor(
    private readonly work: (tenantId: number, items: readonly T[]) => Promise<void>,
    private readonly bounds: {
      readonly atOnce: number;
      readonly most: number;
      readonly batchOf: (tenantId: number) => number;
      readonly onOverflow: (tenantId: number) => void;
    },
  ) {
    this.turns = new FairQueue({ width: bounds.atOnce, laneWidth: () => 1 });
  }

  add(tenantId: number, items: readonly T[]): void {
    const known = this.tenants.get(tenantId);
    const queue: Queue<T> = known ?? { items: [], working: 0, waiting: [] };
    for (const item of items) queue.items.push(item);
    if (queue.items.length > this.bounds.most) {
      queue.items.length = 0;
      for (const { done } of queue.waiting.splice(0)) done();
      this.bounds.onOverflow(tenantId);
    }
    if (known) return;
    this.tenants.set(tenantId, queue);
    this.nextTurn(tenantId, queue);
  }

  /** Resolves when everything added before for this tenant has been processed. */
  flushed(tenantId: number): Promise<void> {
    const queue = this.tenants.get(tenantId);
    if (!queue) return Promise.resolve();
    return new Promise((done) => queue.waiting.push({ left: queue.items.length + queue.working, done }));
  }

  private nextTurn(tenantId: number, queue: Queue<T>): void {
    if (this.turns.begins(tenantId)) void this.turn(tenantId, queue);
    else this.turns.wait(tenantId, () => void this.turn(tenantId, queue));
  }

  private async turn(tenantId: number, queue: Queue<T>): Promise<void> {
    const items = queue.items.splice(0, Math.max(1, this.bounds.batchOf(tenantId)));
    queue.working = items.length;
    if (items.length > 0) await this.work(tenantId, items);
    queue.working = 0;
    for (const one of queue.waiting) one.left -= items.length;
    while (queue.waiting[0] && queue.waiting[0].left <= 0) queue.waiting.shift()?.done();
    if (queue.items.length > 0) {
      // behind those who wait already
      this.turns.wait(tenantId, () => void this.turn(tenantId, queue));
    } else {
      this.tenants.delete(tenantId);
      for (const { done } of queue.waiting.splice(0)) done();
    }
    this.turns.leave(tenantId);
  }
}
