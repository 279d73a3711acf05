import { AsyncResource } from 'node:async_hooks';
import type { Attempts } from './attempts.js';
import type { DeliveryRow } from './deliveries.queries.js';
import type { EngineContext } from './engine-context.js';
import {
  HOLD_DELIVERY,
  HOLD_DELIVERY_FOR,
  CLAIM_DUE,
  CLAIM_CHOSEN,
  FINISH_HELD,
  RETRY_HELD,
  REQUEUE_DELIVERY,
  COUNT_HELD,
  RENEW_HELD,
} from './held-deliveries.queries.js';
import { lru } from '../kernel/lru.js';

const AT_ONCE = 10_000;
/** The most held deliveries of one tenant; beyond it the oldest is sent. */
const MAX_HELD = 10_000;
/** Deliveries held between two counts, while far from the limit. */
const COUNT_EVERY = 100;
const RENEW_EVERY_MS = 5_000;
const SEARCH_EVERY_MS = 1_000;
/** How long a released delivery holds back the next. */
const HOLD_BACK_MS = 250;

type HeldRow = DeliveryRow & { target_product: string };

interface ReleaseFilter {
  readonly ids?: readonly number[] | undefined;
  readonly targetId?: string | undefined;
  readonly most?: number | undefined;
}

/** Deliveries outside the queue, until they are due or released. */
export class HeldDeliveries {
  private readonly timers = new Set<NodeJS.Timeout>();
  /** Outside any request's context: the request that releases them does not wait for them. */
  private readonly sendApart = AsyncResource.bind(
    (rows: HeldRow[], meetsRules: boolean, over?: () => void) => void this.sendInOrder(rows, meetsRules, over),
  );
  private readonly sendDueApart = AsyncResource.bind((): void => {
    this.sendDue().catch((error: Error) => this.context.reportOutage(error));
  });
  /** The last count of each tenant, and how many were added since then. */
  private readonly counted = lru<number, { known: number; since: number }>(AT_ONCE);
  /** Released deliveries of rules with consecutive windows; further ones are appended. */
  private readonly windows = new Map<string, HeldRow[]>();

  constructor(
    private readonly context: EngineContext,
    private readonly attempts: Attempts,
    private readonly onRetryDue: (inMs: number) => void,
  ) {}

  halt(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  async hold(tenantId: number, deliveryId: number, ruleId: string, dueMs: number | undefined): Promise<void> {
    const { db, clock } = this.context;
    if (dueMs === undefined) await db.run(HOLD_DELIVERY, [deliveryId, ruleId]);
    else await db.run(HOLD_DELIVERY_FOR, [deliveryId, ruleId, dueMs, clock.wallOffsetMicros]);
    if (dueMs !== undefined && dueMs < SEARCH_EVERY_MS) this.after(dueMs);
    await this.keepBound(tenantId);
  }

  private async keepBound(tenantId: number): Promise<void> {
    const { known, since } = this.counted.get(tenantId) ?? { known: MAX_HELD, since: 0 };
    if (since + 1 < COUNT_EVERY && known + since + 1 < MAX_HELD) {
      this.counted.set(tenantId, { known, since: since + 1 });
      return;
    }
    const [row] = await this.context.db.read<{ n: number }>(COUNT_HELD, [tenantId]);
    const over = (row?.n ?? 0) - MAX_HELD;
    if (over > 0) await this.release(tenantId, { most: over }, (rows) => rows);
    this.counted.set(tenantId, { known: Math.min(row?.n ?? 0, MAX_HELD), since: 0 });
  }

  /** Something may be due. */
  wake(): void {
    this.sendDueApart();
  }

  /** Sends what is due; called periodically. */
  async sendDue(): Promise<void> {
    const { db, clock } = this.context;
    if (!this.context.isRunning()) return;
    const rows = await db.run<HeldRow>(CLAIM_DUE, [AT_ONCE, clock.wallOffsetMicros]);
    for (const row of rows) void this.send(row);
  }

  /**
   * Releases held deliveries of a tenant one after the other, in the order of `arrange`. Returns how many; they are
   * sent afterwards.
   */
  async release(
    tenantId: number,
    wanted: ReleaseFilter,
    arrange: <T>(rows: T[]) => T[],
    meetsRules = false,
  ): Promise<number> {
    const rows = arrange(await this.claim(tenantId, wanted));
    const count = rows.length;
    this.sendApart(rows, meetsRules);
    return count;
  }

  /** Releases some of those that a rule holds like `release`, but after those of the rule still being sent. */
  async releaseWindow(
    tenantId: number,
    { ruleId, ids }: { ruleId: string; ids: readonly number[] },
    arrange: <T>(rows: T[]) => T[],
  ): Promise<void> {
    const rows = arrange(await this.claim(tenantId, { ids }));
    const before = this.windows.get(ruleId);
    if (before) return void before.push(...rows);
    this.windows.set(ruleId, rows);
    this.sendApart(rows, false, () => void this.windows.delete(ruleId));
  }

  private claim(tenantId: number, wanted: ReleaseFilter): Promise<HeldRow[]> {
    const { db, clock } = this.context;
    const { ids, targetId, most = AT_ONCE } = wanted;
    return db.run<HeldRow>(CLAIM_CHOSEN, [most, clock.wallOffsetMicros, tenantId, ids ?? null, targetId ?? null]);
  }

  /** One more first attempt of a finished delivery. False: its target or event was deleted. */
  async redeliver(
    tenantId: number,
    one: { id: number; targetId: string; eventId: number; identity: string | null },
  ): Promise<boolean> {
    const { db } = this.context;
    const made = await db.run(REQUEUE_DELIVERY, [one.id, one.targetId, one.eventId, one.identity]);
    if (made.length === 0) return false;
    await this.release(tenantId, { ids: [one.id] }, (rows) => rows, true);
    return true;
  }

  /** Empties `rows`, which may grow meanwhile, until `over` is called. */
  private async sendInOrder(rows: HeldRow[], meetsRules: boolean, over?: () => void): Promise<void> {
    let renewedAt = performance.now();
    for (let row = rows.shift(); row; row = rows.shift()) {
      if (performance.now() - renewedAt > RENEW_EVERY_MS) {
        renewedAt = performance.now();
        const left = [row, ...rows].map(({ id }) => id);
        await this.context.db
          .run(RENEW_HELD, [left, this.context.clock.wallOffsetMicros])
          .catch(this.context.reportOutage);
      }
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, HOLD_BACK_MS)));
      await Promise.race([this.send(row, meetsRules), late]);
      clearTimeout(timer);
    }
    over?.();
  }

  private async send(row: HeldRow, meetsRules = false): Promise<void> {
    const { db, clock, dialects } = this.context;
    try {
      const dialect = dialects.get(row.target_product);
      const target = dialect && (await dialects.load(dialect, row.target_id));
      if (!dialect || target === undefined || row.age_ms === null) return void (await db.run(FINISH_HELD, [row.id]));
      const outcome = await this.attempts.make(dialect, { ...row, gated: meetsRules && row.gated }, target);
      if (!outcome) return;
      const { again } = outcome;
      if (!again) return void (await db.run(FINISH_HELD, [row.id]));
      await db.run(RETRY_HELD, [row.id, again.attempt, again.reason, again.delayMs, clock.wallOffsetMicros]);
      this.onRetryDue(again.delayMs);
    } catch (error) {
      this.context.reportOutage(error as Error);
    }
  }

  private after(ms: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.sendDueApart();
    }, ms);
    this.timers.add(timer.unref());
  }
}
