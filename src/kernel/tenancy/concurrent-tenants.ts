/** How long after calls of two tenants both count as active, in milliseconds: each is limited for the other's sake. */
const ACTIVE_MS = 1_000;

/** Whether several tenants are active at the same time. */
export class ConcurrentTenants {
  private last: number | string | undefined;
  private concurrentAt = -Infinity;

  constructor(private readonly now: () => number = () => performance.now()) {}

  note(tenant: number | string): void {
    if (tenant === this.last) return;
    if (this.last !== undefined) this.concurrentAt = this.now();
    this.last = tenant;
  }

  get isAlone(): boolean {
    return this.now() - this.concurrentAt > ACTIVE_MS;
  }
}
