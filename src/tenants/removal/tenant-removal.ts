import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { FillingTurns } from '../../kernel/tenancy/filling-turns.js';
import { BATCH } from '../../kernel/tenancy/removal-steps.queries.js';
import { TenantEnding } from '../../kernel/tenancy/tenant-ending.js';
import { GuestApps } from '../../messaging/installing/guest-apps.js';
import { WORKSPACE_REMOVAL, END_LEFT_OVER } from '../../messaging/removal.queries.js';
import { ORGANIZATION_REMOVAL } from '../../tracker/removal.queries.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import { DELETE_TENANTS, END, NEXT_ENDED, TENANT_REMOVAL, TRY_REMOVAL_LOCK } from './removal.queries.js';

const EVERY_MS = 5_000;
/**
 * While other tenants are made, filled, reset or deleted, a batch waits this many times as long as the previous one
 * took.
 */
const PAUSE = 8;
const MAX_PAUSE_MS = 500;

interface EndedTenant extends Record<string, unknown> {
  readonly id: number;
  readonly workspaceId: string | null;
  readonly organizationId: string | null;
}

/**
 * Deletes tenants: at once for their callers (`TenantEnding`), then their rows in batches, by one replica at a time, so
 * that other calls are not slowed down.
 */
@Injectable()
export class TenantRemoval {
  constructor(
    private readonly db: Db,
    private readonly engine: DeliveryEngine,
    private readonly turns: FillingTurns,
    private readonly guests: GuestApps,
    ending: TenantEnding,
    upkeep: Upkeep,
  ) {
    ending.register((tx, tenantId) => this.end(tx, tenantId));
    upkeep.register('removing deleted tenants', EVERY_MS, (stopped) => this.run(stopped));
  }

  private async end(tx: Tx, tenantId: number): Promise<void> {
    const targets = await tx.query<{ id: string }>(END, [tenantId]);
    tx.afterCommit(() => this.guests.endOrphansSoon());
    if (targets.length > 0) {
      await this.engine.remove(
        tx,
        targets.map((target) => target.id),
      );
    }
  }

  /** Until nothing is left to delete, or another replica is deleting. */
  async run(stopped: () => boolean = () => false): Promise<void> {
    for (const { id } of await this.db.read<{ id: number }>(END_LEFT_OVER)) {
      await this.db.write((tx) => this.end(tx, id));
    }
    for (let tookMs = 0; !stopped();) {
      await this.turns.quiet(Math.min(PAUSE * tookMs, MAX_PAUSE_MS));
      const next = await this.db.read<EndedTenant>(NEXT_ENDED, [null]);
      const began = performance.now();
      if (next.length === 0 || !(await this.batch(next))) return;
      tookMs = performance.now() - began;
    }
  }

  /** Deletes all rows of one deleted tenant now, as its ids are requested again. */
  async finish(tenantId: number): Promise<void> {
    for (;;) {
      const next = await this.db.read<EndedTenant>(NEXT_ENDED, [tenantId]);
      if (next.length === 0) return;
      if (!(await this.batch(next))) await new Promise((again) => setTimeout(again, 20));
    }
  }

  /**
   * Deletes one batch of rows, which may cover some small tenants completely. False when another replica is deleting.
   */
  private batch(ended: readonly EndedTenant[]): Promise<boolean> {
    return this.db.write(async (tx) => {
      const [lock] = await tx.query<{ mine: boolean }>(TRY_REMOVAL_LOCK);
      if (!lock?.mine) return false;
      const [ids, workspaceIds, organizationIds] = [
        ended.map(({ id }) => id),
        ended.flatMap(({ workspaceId }) => workspaceId ?? []),
        ended.flatMap(({ organizationId }) => organizationId ?? []),
      ];
      let left = BATCH;
      for (const [steps, owners] of [
        [WORKSPACE_REMOVAL, workspaceIds],
        [ORGANIZATION_REMOVAL, organizationIds],
        [TENANT_REMOVAL, ids],
      ] as const) {
        if (owners.length === 0) continue;
        for (const step of steps) {
          for (let gone = 1; gone > 0; left -= gone) {
            if (left <= 0) return true;
            gone = 0;
            for (const statement of step) gone += (await tx.query(statement, [owners])).length;
          }
        }
      }
      await tx.query(DELETE_TENANTS, [ids]);
      return true;
    });
  }
}
