import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/db.js';

type InReset = (tx: Tx, tenantId: number) => Promise<void>;
type AfterReset = (tenantId: number) => Promise<void>;

/** What parts of the server drop when a sandbox is reset, beside the rows that the reset itself puts back. */
@Injectable()
export class SandboxResets {
  private readonly within: InReset[] = [];
  private readonly after: AfterReset[] = [];

  /** At start-up. In the reset's transaction. */
  onReset(work: InReset): void {
    this.within.push(work);
  }

  /** At start-up. When the reset has committed: for what it means to other tenants. */
  onResetDone(work: AfterReset): void {
    this.after.push(work);
  }

  async reset(tx: Tx, tenantId: number): Promise<void> {
    for (const work of this.within) await work(tx, tenantId);
  }

  async done(tenantId: number): Promise<void> {
    for (const work of this.after) await work(tenantId);
  }
}
