import { Injectable } from '@nestjs/common';
import type { Keeps } from '../database/statement.js';

/** Of how many tenants the last change is known; beyond it all count as changed. */
const MAX_TENANTS = 100_000;

/** What is remembered of a tenant is still true if its look-up began after the tenant's last change. */
export class Changes {
  private count = 0;
  private ofAll = 0;
  private readonly ofTenant = new Map<number, number>();
  /** Writes under way, by tenant; undefined = for nobody knows whom. */
  private readonly underWay = new Map<number | undefined, number>();

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

  /** Until `end`, nothing is known of the tenant: others may see what is written before this process learns of it. */
  begin(tenantId?: number): void {
    this.underWay.set(tenantId, (this.underWay.get(tenantId) ?? 0) + 1);
  }

  end(tenantId?: number): void {
    const left = (this.underWay.get(tenantId) ?? 1) - 1;
    if (left > 0) this.underWay.set(tenantId, left);
    else this.underWay.delete(tenantId);
    this.note(tenantId);
  }

  /** Whether nothing was written for the tenant since that moment. */
  isUnchanged(tenantId: number, since: number): boolean {
    if (this.underWay.size > 0 && (this.underWay.has(tenantId) || this.underWay.has(undefined))) return false;
    return since >= this.ofAll && since >= (this.ofTenant.get(tenantId) ?? 0);
  }
}

/**
 * When something was last written for each tenant by this process, as running numbers
 * (docs/decisions/remembered-callers.md). `Db` notes every write.
 */
@Injectable()
export class TenantChanges {
  /** Of who calls, and of users. */
  readonly ofCallers = new Changes();
  /** Of anything. */
  readonly ofContent = new Changes();

  /**
   * A write begins.
   * @returns to be called once it has ended, before anybody is answered or told, with the tenants that it wrote for
   */
  begin(
    tenantIds: readonly (number | undefined)[],
    keeps: Keeps | undefined,
  ): (tenantIds: readonly (number | undefined)[]) => void {
    if (keeps === 'everything') return () => undefined;
    for (const tenantId of tenantIds) this.ofContent.begin(tenantId);
    let isUnderWay = true;
    return (written) => {
      if (!isUnderWay) return;
      isUnderWay = false;
      for (const tenantId of tenantIds) this.ofContent.end(tenantId);
      for (const tenantId of written) {
        if (!tenantIds.includes(tenantId)) this.ofContent.note(tenantId);
        if (keeps === undefined) this.ofCallers.note(tenantId);
      }
    };
  }
}
