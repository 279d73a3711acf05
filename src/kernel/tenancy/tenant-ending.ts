import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/db.js';

/**
 * The one way to delete a tenant: its workspace and its organization, whichever it has. From the commit on its
 * credentials answer as deleted, its names are free and nothing more is sent for it; its rows are deleted later, in
 * pages.
 */
@Injectable()
export class TenantEnding {
  private work: ((tx: Tx, tenantId: number) => Promise<void>) | undefined;

  /** The component that knows all tables registers at start-up (src/tenants/removal). */
  register(work: (tx: Tx, tenantId: number) => Promise<void>): void {
    this.work = work;
  }

  async end(tx: Tx, tenantId: number): Promise<void> {
    if (!this.work) throw new Error('nobody has registered who removes tenants');
    await this.work(tx, tenantId);
  }
}
