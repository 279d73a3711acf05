import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import type { Matcher } from '../../kernel/matchers/matcher.js';
import { matches } from '../../kernel/matchers/matches.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import { kindOf, urlOf } from '../deliveries/target-kinds.js';
import { CallJournal } from '../timeline/call-journal.js';
import { BUSY_TARGETS } from './idleness.queries.js';

interface BusyTarget {
  readonly id: string;
  readonly product: string;
}

/** Activity in a sandbox. */
interface Activity {
  readonly calls: number;
  readonly targets: readonly BusyTarget[];
}

/** Whether a sandbox is idle. */
@Injectable()
export class Idleness {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly calls: CallJournal,
    private readonly engine: DeliveryEngine,
  ) {}

  /** @param where may restrict the `target`: its id, or a matcher over `id`, `kind` and `url` */
  async isIdle(tenantId: number, where: Matcher | null): Promise<boolean> {
    const wanted = where?.kind === 'object' ? where.fields.find(([key]) => key === 'target')?.[1] : undefined;
    const { calls, targets } = await this.look(tenantId);
    if (!wanted) return calls === 0 && targets.length === 0;
    for (const target of targets) if (await this.isWanted(wanted, target)) return false;
    return true;
  }

  private async isWanted(wanted: Matcher, { id, product }: BusyTarget): Promise<boolean> {
    if (wanted.kind !== 'object') return matches(wanted, id);
    const url = urlOf(await this.engine.targetOf(product, id));
    return matches(wanted, { id, kind: kindOf(product), url });
  }

  /** One query serves all calls that arrive while it runs. */
  private readonly look = coalesce(
    async (asked: number[]): Promise<Activity[]> => {
      const tenants = [...new Set(asked)];
      const [rows, calls] = await Promise.all([
        this.db.read<BusyTarget & { tenant_id: number }>(BUSY_TARGETS, [tenants, this.clock.wallOffsetMicros]),
        Promise.all(tenants.map(async (tenantId) => [tenantId, await this.calls.callsUnderWay(tenantId)] as const)),
      ]);
      const underWay = new Map(calls);
      return asked.map((tenantId) => ({
        calls: underWay.get(tenantId) ?? 0,
        targets: rows.filter((row) => row.tenant_id === tenantId),
      }));
    },
    { name: 'sandboxes.idle', inFlight: 1, max: 1_000 },
  );
}
