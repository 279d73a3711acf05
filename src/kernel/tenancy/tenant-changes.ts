import { Injectable } from '@nestjs/common';

/** Of how many tenants the last change is known; beyond it all count as changed. */
const MAX_TENANTS = 100_000;

/**
 * When something was last written for each tenant by this process, as a running number. What is remembered of a tenant
 * is still true if its look-up began after that (docs/decisions/remembered-callers.md). `Db` notes every write.
 */
@Injectable()
export class TenantChanges {
  private count = 0;
  private ofAll = 0;
  private readonly ofTenant = new Map<number, number>();

  /** The moment at which a look-up begins. */
  get now(): number {
    return this.count;
  }

  /** Something was written for this tenant, or for nobody knows whom. */
  note(tenantId?: number): void {
    this.count++;
    if (tenantId !== undefined && this.ofTenant.size < MAX_TENANTS) {
      this.ofTenant.set(tenantId, this.count);
      return;
    }
    this.ofTenant.clear();
    this.ofAll = this.count;
  }

  /** Whether nothing was written for the tenant since that moment. */
  isUnchanged(tenantId: number, since: number): boolean {
    return since >= this.ofAll && since >= (this.ofTenant.get(tenantId) ?? 0);
  }
}
