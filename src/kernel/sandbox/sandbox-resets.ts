import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/db.js';

type InReset = (tx: Tx, tenantId: number) => Promise<void>;
type AfterAppsWent = () => Promise<void>;

/** What parts of the server drop when a sandbox is reset, beside the rows that the reset itself puts back. */
@Injectable()
export class SandboxResets {
  private readonly within: InReset[] = [];
  private readonly appsWent: AfterAppsWent[] = [];

  /** At start-up. In the reset's transaction. */
  onReset(work: InReset): void {
    this.within.push(work);
  }

  /** At start-up. When a reset has committed that took apps with it: they may be installed in other tenants. */
  onAppsWent(work: AfterAppsWent): void {
    this.appsWent.push(work);
  }

  async reset(tx: Tx, tenantId: number): Promise<void> {
    for (const work of this.within) await work(tx, tenantId);
  }

  async tookApps(): Promise<void> {
    for (const work of this.appsWent) await work();
  }
}
