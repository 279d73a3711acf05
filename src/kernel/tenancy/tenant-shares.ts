import { Injectable } from '@nestjs/common';
import { lru } from '../lru.js';

/** How many are remembered; beyond it the least recently seen count for themselves again. */
const MAX_ENTRIES = 100_000;

/**
 * The share of the server that a tenant counts towards: its own, or that of the first tenant of the same account, so
 * that making more workspaces does not get anyone more of the server (docs/reference/limits.md#lanes).
 */
@Injectable()
export class TenantShares {
  private readonly shares = lru<number, number>(MAX_ENTRIES);

  of(tenantId: number): number {
    return this.shares.get(tenantId) ?? tenantId;
  }

  note(tenantId: number, shareId: number): void {
    this.shares.set(tenantId, shareId);
  }
}
