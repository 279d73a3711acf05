import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { eachText } from '../../kernel/ids/id-space.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import type { SandboxRow } from '../access/sandbox-row.queries.js';
import { SandboxParts, type SandboxCounts } from '../ports.js';
import { COUNTS_OF_SANDBOXES, MADE_SANDBOX, TOUCH_SANDBOXES } from './sandbox-view.queries.js';

interface Counted extends Record<string, unknown> {
  tenantId: number;
  users: number;
  channels: number;
  messages: number;
  issues: number;
  snapshots: number;
  lastCallAt: Date | null;
}

const seconds = (moment: Date | null): number | null => moment && Math.floor(moment.getTime() / 1000);

/** Sandboxes as the routes show them (docs/reference/sandboxes.md#sandboxes). */
@Injectable()
export class SandboxView {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly reader: SandboxReader,
    private readonly parts: SandboxParts,
  ) {}

  async one(row: SandboxRow): Promise<object> {
    return (await this.all([row]))[0] as object;
  }

  /** Those of a list, which no one sandbox is entered for: each with the ids that its callers know. */
  async listed(rows: readonly SandboxRow[]): Promise<object[]> {
    return (await this.all(rows)).map((shown, n) => {
      const ids = this.reader.read((rows[n] as SandboxRow).flags)?.ids;
      return ids ? eachText(shown, (text) => ids.outside(text)) : shown;
    });
  }

  private async all(rows: readonly SandboxRow[]): Promise<object[]> {
    if (rows.length === 0) return [];
    await this.storeCallTimes();
    const tenantIds = rows.map((row) => row.tenantId);
    const [counted, parts] = await Promise.all([
      this.db.read<Counted>(COUNTS_OF_SANDBOXES, [tenantIds]),
      this.parts.counts(tenantIds),
    ]);
    const byTenant = new Map(counted.map((counts) => [counts.tenantId, counts]));
    return rows.map((row) => this.show(row, byTenant.get(row.tenantId), parts.get(row.tenantId)));
  }

  /** A sandbox that was just made: no product has rows in it yet. */
  async made(tenantId: number): Promise<object> {
    const [made] = await this.db.read<SandboxRow & Counted>(MADE_SANDBOX, [tenantId]);
    return this.show(made as SandboxRow & Counted, made);
  }

  private show(row: SandboxRow, counts: Counted | undefined, parts?: SandboxCounts): object {
    const flags = this.reader.read(row.flags) as SandboxFlags;
    return {
      id: row.id,
      name: row.name,
      labels: row.labels,
      team_id: row.workspaceId,
      url_key: row.urlKey,
      created: seconds(row.createdAt),
      expires_at: seconds(row.expiresAt),
      journal: flags.journal,
      clock: this.clockOf(flags),
      counts: {
        users: counts?.users ?? 0,
        channels: counts?.channels ?? 0,
        messages: counts?.messages ?? 0,
        issues: counts?.issues ?? 0,
      },
      snapshots: counts?.snapshots ?? 0,
      faults: parts?.faults ?? 0,
      delivery_rules: parts?.deliveryRules ?? 0,
      last_call_at: seconds(counts?.lastCallAt ?? null),
      methods: flags.methods,
      owner: row.owner,
      rate_limit_multiplier: flags.rateLimitMultiplier,
      missing_scope_status: flags.missingScopeStatus,
      urls: flags.urls,
      pool: row.pool,
      id_space: flags.ids ? 'own' : 'server',
      deterministic: flags.isDeterministic,
    };
  }

  /** A sandbox's time: `offset_ms` is its current difference to real time. */
  clockOf(flags: SandboxFlags): { now: string; offset_ms: number; frozen: boolean; tick_ms: number } {
    return this.clock.within(flags.time, () => ({
      now: this.clock.now().toISOString(),
      offset_ms:
        flags.time === null
          ? 0
          : Math.round(
              flags.time.frozenAt === null ? flags.time.offsetMicros / 1000 : this.clock.nowMs() - this.clock.wallMs(),
            ),
      frozen: flags.time !== null && flags.time.frozenAt !== null,
      tick_ms: flags.tickMs,
    }));
  }

  /** Records which sandboxes were called. */
  async storeCallTimes(): Promise<void> {
    const called = this.reader.takeCalled();
    if (called.length > 0) await this.db.run(TOUCH_SANDBOXES, [called]);
  }
}
