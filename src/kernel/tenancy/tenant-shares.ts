import { Injectable } from '@nestjs/common';

/** So many are remembered; beyond, the oldest count for themselves again. */
const MOST = 100_000;

/**
 * Whose share of the server a tenant uses: its own, or that of the first tenant that the same account made, so that nobody
 * gets more of the server by making more workspaces (docs/reference/limits.md#lanes).
 */
@Injectable()
export class TenantShares {
  private readonly shares = new Map<number, number>();

  of(tenantId: number): number {
    return this.shares.get(tenantId) ?? tenantId;
  }

  note(tenantId: number, shareId: number): void {
    this.shares.set(tenantId, shareId);
    if (this.shares.size > MOST) this.shares.delete(this.shares.keys().next().value as number);
  }
}
