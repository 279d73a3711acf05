import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Db, type Tx } from '../database/db.js';
import { Upkeep } from '../database/upkeep.js';
import { TenantShares } from './tenant-shares.js';
import { HOLD_MAKER, INSERT_TENANT_OF_ACCOUNT, TENANTS_WITH_SHARE, PAGE } from './tenant-making.queries.js';
/** Transactions may commit in another order than their ids, so this many ids before the last one are read again. */
const AGAIN = 1_000;
const LEARN_EVERY_MS = 5_000;

interface TenantShareRow extends Record<string, unknown> {
  readonly id: number;
  readonly shareId: number | null;
}

/** Tenants that people make for themselves, and the shares of tenants that every process knows. */
@Injectable()
export class TenantMaking implements OnApplicationBootstrap {
  private upTo = 0;

  constructor(
    private readonly db: Db,
    private readonly shares: TenantShares,
    upkeep: Upkeep,
  ) {
    upkeep.register('learning whose share tenants use', LEARN_EVERY_MS, () => this.learn());
  }

  async onApplicationBootstrap(): Promise<void> {
    // the upkeep retries: an unavailable store need not prevent the start
    await this.learn().catch(() => undefined);
  }

  /** Makes a tenant of an account; further ones of the account wait until this transaction has ended. */
  async make(tx: Tx, accountId: string): Promise<number> {
    await tx.query(HOLD_MAKER, [accountId]);
    const [made] = await tx.query<TenantShareRow>(INSERT_TENANT_OF_ACCOUNT, [accountId]);
    const { id, shareId } = made as TenantShareRow;
    if (shareId !== null) tx.afterCommit(() => this.shares.note(id, shareId));
    return id;
  }

  /** Loads those that were made since, here and elsewhere. */
  private async learn(): Promise<void> {
    for (;;) {
      const rows = await this.db.read<TenantShareRow>(TENANTS_WITH_SHARE, [this.upTo - AGAIN]);
      for (const { id, shareId } of rows) this.shares.note(id, shareId as number);
      const last = rows.at(-1)?.id ?? this.upTo;
      const isNew = last > this.upTo;
      this.upTo = Math.max(this.upTo, last);
      if (rows.length < PAGE || !isNew) return;
    }
  }
}
