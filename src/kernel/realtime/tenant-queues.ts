interface Queue<T> {
  readonly items: T[];
  /** Items being processed. */
  working: number;
  /** Callers waiting for items that were added before them: resolved after this many more. */
  readonly waiting: { left: number; readonly done: () => void }[];
  running: boolean;
}

/**
 * Processes items in order within a tenant, tenants concurrently: a tenant whose work takes long delays only itself.
 * Tenants take turns at a limited number of places.
 */
export class TenantQueues<T> {
  private readonly tenants = new Map<number, Queue<T>>();
  private readonly ready: number[] = [];
  private running = 0;

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
  ) {}

  add(tenantId: number, items: readonly T[]): void {
    const queue = this.of(tenantId);
    for (const item of items) queue.items.push(item);
    if (queue.items.length > this.bounds.most) {
      queue.items.length = 0;
      for (const { done } of queue.waiting.splice(0)) done();
      this.bounds.onOverflow(tenantId);
    }
    if (!queue.running) {
      queue.running = true;
      this.ready.push(tenantId);
      this.next();
    }
  }

  /** Resolves when everything added before for this tenant has been processed. */
  flushed(tenantId: number): Promise<void> {
    const queue = this.tenants.get(tenantId);
    if (!queue) return Promise.resolve();
    return new Promise((done) => queue.waiting.push({ left: queue.items.length + queue.working, done }));
  }

  private next(): void {
    while (this.running < this.bounds.atOnce) {
      const tenantId = this.ready.shift();
      if (tenantId === undefined) return;
      this.running++;
      void this.turn(tenantId, this.of(tenantId));
    }
  }

  private async turn(tenantId: number, queue: Queue<T>): Promise<void> {
    const items = queue.items.splice(0, Math.max(1, this.bounds.batchOf(tenantId)));
    queue.working = items.length;
    if (items.length > 0) await this.work(tenantId, items);
    queue.working = 0;
    for (const one of queue.waiting) one.left -= items.length;
    while (queue.waiting[0] && queue.waiting[0].left <= 0) queue.waiting.shift()?.done();
    this.running--;
    if (queue.items.length > 0) this.ready.push(tenantId);
    else {
      queue.running = false;
      this.tenants.delete(tenantId);
      for (const { done } of queue.waiting.splice(0)) done();
    }
    this.next();
  }

  private of(tenantId: number): Queue<T> {
    let queue = this.tenants.get(tenantId);
    if (!queue) this.tenants.set(tenantId, (queue = { items: [], working: 0, waiting: [], running: false }));
    return queue;
  }
}
