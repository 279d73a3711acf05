/** One tenant's hold on the slots. */
interface Queue {
  held: number;
  readonly waiting: (() => void)[];
}

/**
 * A number of slots of which one tenant never has more than its share; waiting callers are served in turn, tenant by
 * tenant.
 */
export class TenantSlots<Tenant = number> {
  private readonly tenants = new Map<Tenant, Queue>();
  private used = 0;

  constructor(
    private readonly total: number,
    private readonly share: number,
  ) {}

  get free(): number {
    return Math.max(0, this.total - this.used);
  }

  /** The number of slots each tenant holds. */
  held(): { tenantIds: Tenant[]; counts: number[] } {
    const holding = [...this.tenants].filter(([, { held }]) => held > 0);
    return { tenantIds: holding.map(([id]) => id), counts: holding.map(([, { held }]) => held) };
  }

  /** Undefined when the slot is free; otherwise resolves when it is. */
  take(tenantId: Tenant): Promise<void> | undefined {
    const queue = this.of(tenantId);
    if (queue.waiting.length === 0 && this.fits(queue)) {
      this.grant(queue);
      return undefined;
    }
    return new Promise<void>((granted) => queue.waiting.push(granted));
  }

  release(tenantId: Tenant): void {
    const queue = this.of(tenantId);
    queue.held--;
    this.used--;
    if (queue.held === 0 && queue.waiting.length === 0) this.tenants.delete(tenantId);
    this.serve();
  }

  private serve(): void {
    for (const [tenantId, queue] of this.tenants) {
      if (this.used >= this.total) return;
      if (queue.waiting.length === 0 || !this.fits(queue)) continue;
      this.grant(queue);
      queue.waiting.shift()?.();
      // to the end of the line
      this.tenants.delete(tenantId);
      this.tenants.set(tenantId, queue);
      return this.serve();
    }
  }

  private grant(queue: Queue): void {
    queue.held++;
    this.used++;
  }

  private fits(queue: Queue): boolean {
    return this.used < this.total && queue.held < this.share;
  }

  private of(tenantId: Tenant): Queue {
    let queue = this.tenants.get(tenantId);
    if (!queue) this.tenants.set(tenantId, (queue = { held: 0, waiting: [] }));
    return queue;
  }
}
