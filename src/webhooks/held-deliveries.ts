import { AsyncResource } from 'node:async_hooks';
import { statement } from '../kernel/database/statement.js';
import type { Attempts } from './attempts.js';
import { dueIn, EVENT_COLUMNS, sharedNow, type DeliveryRow } from './deliveries.queries.js';
import type { EngineContext } from './engine-context.js';

// a held delivery has attempt = -1 - (attempts made); who sends it by hand sets next_at to when that counts as lost

const HOLD = statement(
  'deliveries_hold',
  `UPDATE deliveries SET attempt = CASE WHEN attempt < 0 THEN attempt ELSE -1 - attempt END, held_by = $2, next_at = NULL, due_at = NULL
    WHERE id = $1`,
);
const HOLD_FOR = statement(
  'deliveries_hold_for',
  `UPDATE deliveries d SET attempt = CASE WHEN attempt < 0 THEN attempt ELSE -1 - attempt END, held_by = $2,${dueIn('$3::float8', '$4', 'd.target_id')}
    WHERE id = $1`,
);

const CLAIM = (where: string): string => `
  WITH chosen AS (
    SELECT d.id FROM deliveries d JOIN delivery_targets t ON t.id = d.target_id AND t.enabled
     WHERE d.attempt < 0 AND ${where} ORDER BY d.id LIMIT $1 FOR UPDATE OF d SKIP LOCKED),
  claimed AS (
    UPDATE deliveries d SET next_at = ${sharedNow('$2')} + interval '20 seconds', held_by = NULL, due_at = NULL
      FROM chosen WHERE d.id = chosen.id RETURNING d.*)
  SELECT d.id, d.target_id, d.event_id, d.identity, -1 - d.attempt AS attempt, d.reason,
         (extract(epoch FROM ${sharedNow('$2')} - e.recorded_at) * 1000)::float8 AS age_ms, ${EVENT_COLUMNS},
         t.product AS target_product
    FROM claimed d JOIN delivery_targets t ON t.id = d.target_id LEFT JOIN events e ON e.id = d.event_id
   ORDER BY d.id`;

const CLAIM_DUE = statement('deliveries_claim_due', CLAIM(`d.next_at <= ${sharedNow('$2')}`));
const CLAIM_CHOSEN = statement(
  'deliveries_claim_chosen',
  CLAIM(`t.tenant_id = $3 AND ($4::bigint[] IS NULL OR d.id = ANY($4::bigint[]))
     AND ($5::text IS NULL OR d.target_id = $5) AND d.held_by IS NOT NULL`),
);
const FINISH = statement('deliveries_finish', 'DELETE FROM deliveries WHERE id = $1 AND attempt < 0');
const RETRY = statement(
  'deliveries_retry_held',
  `UPDATE deliveries d SET attempt = $2, reason = $3,${dueIn('$4::float8', '$5', 'd.target_id')}
    WHERE id = $1 AND attempt < 0`,
);
/** Back into the queue for one more first attempt, under its old id. */
const REQUEUE = statement(
  'deliveries_requeue',
  `INSERT INTO deliveries (id, target_id, event_id, identity, attempt, held_by) OVERRIDING SYSTEM VALUE
   SELECT $1::bigint, t.id, e.id, $4, -1, 'redelivery' FROM delivery_targets t, events e
    WHERE t.id = $2 AND t.enabled AND e.id = $3 ON CONFLICT (id) DO NOTHING RETURNING id`,
);

const COUNT = statement(
  'deliveries_count_held',
  `SELECT count(*)::int AS n FROM delivery_targets t JOIN deliveries d ON d.target_id = t.id
    WHERE t.tenant_id = $1 AND d.attempt < 0 AND d.held_by IS NOT NULL`,
);
/** What is to be sent one after the other is not lost yet. */
const RENEW = statement(
  'deliveries_renew_held',
  `UPDATE deliveries SET next_at = ${sharedNow('$2')} + interval '20 seconds' WHERE id = ANY($1::bigint[]) AND attempt < 0`,
);

const AT_ONCE = 10_000;
/** Held deliveries of one tenant; then the oldest goes out. */
const MOST_HELD = 10_000;
/** Deliveries held between two counts, while there is much room. */
const COUNT_EVERY = 100;
const RENEW_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 1_000;
/** How long one that is sent by hand holds back the next. */
const HOLD_BACK_MS = 250;

type HeldRow = DeliveryRow & { target_product: string };

interface Wanted {
  readonly ids?: readonly number[] | undefined;
  readonly targetId?: string | undefined;
  readonly most?: number | undefined;
}

/** Deliveries that stand outside the queue until they are due or somebody releases them. */
export class HeldDeliveries {
  private readonly timers = new Set<NodeJS.Timeout>();
  /** Outside any request's context: the request that releases them does not wait for them. */
  private readonly sendApart = AsyncResource.bind(
    (rows: HeldRow[], meetsRules: boolean, over?: () => void) => void this.sendInOrder(rows, meetsRules, over),
  );
  private readonly sendDueApart = AsyncResource.bind((): void => {
    this.sendDue().catch((error: Error) => this.context.trouble(error));
  });
  /** How many a tenant had when they were counted, and how many came since then. */
  private readonly counted = new Map<number, { known: number; since: number }>();
  /** What is being sent of rules whose windows follow each other; more is put behind it. */
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
    if (dueMs === undefined) await db.run(HOLD, [deliveryId, ruleId]);
    else await db.run(HOLD_FOR, [deliveryId, ruleId, dueMs, clock.wallOffsetMicros]);
    if (dueMs !== undefined && dueMs < LOOK_EVERY_MS) this.after(dueMs);
    await this.keepBound(tenantId);
  }

  private async keepBound(tenantId: number): Promise<void> {
    const { known, since } = this.counted.get(tenantId) ?? { known: MOST_HELD, since: 0 };
    if (since + 1 < COUNT_EVERY && known + since + 1 < MOST_HELD) {
      this.counted.set(tenantId, { known, since: since + 1 });
      return;
    }
    const [row] = await this.context.db.read<{ n: number }>(COUNT, [tenantId]);
    const over = (row?.n ?? 0) - MOST_HELD;
    if (over > 0) await this.release(tenantId, { most: over }, (rows) => rows);
    if (this.counted.size > AT_ONCE) this.counted.clear();
    this.counted.set(tenantId, { known: Math.min(row?.n ?? 0, MOST_HELD), since: 0 });
  }

  /** Something may be due. */
  wake(): void {
    this.sendDueApart();
  }

  /** Sends what is due; called now and then. */
  async sendDue(): Promise<void> {
    const { db, clock } = this.context;
    if (!this.context.isRunning()) return;
    const rows = await db.run<HeldRow>(CLAIM_DUE, [AT_ONCE, clock.wallOffsetMicros]);
    for (const row of rows) void this.send(row);
  }

  /**
   * Sends held deliveries of a tenant, one after the other, in the order that `arrange` gives. Answers how many; they go
   * out afterwards.
   */
  async release(tenantId: number, wanted: Wanted, arrange: <T>(rows: T[]) => T[], meetsRules = false): Promise<number> {
    const rows = arrange(await this.claim(tenantId, wanted));
    const count = rows.length;
    this.sendApart(rows, meetsRules);
    return count;
  }

  /** Sends some of those that a rule holds as `release` does, but behind what is still being sent of that rule. */
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

  private claim(tenantId: number, wanted: Wanted): Promise<HeldRow[]> {
    const { db, clock } = this.context;
    const { ids, targetId, most = AT_ONCE } = wanted;
    return db.run<HeldRow>(CLAIM_CHOSEN, [most, clock.wallOffsetMicros, tenantId, ids ?? null, targetId ?? null]);
  }

  /** One more first attempt of a delivery that is over. False: its target or event is gone. */
  async redeliver(
    tenantId: number,
    one: { id: number; targetId: string; eventId: number; identity: string | null },
  ): Promise<boolean> {
    const { db } = this.context;
    const made = await db.run(REQUEUE, [one.id, one.targetId, one.eventId, one.identity]);
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
        await this.context.db.run(RENEW, [left, this.context.clock.wallOffsetMicros]).catch(this.context.trouble);
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
      if (!dialect || target === undefined || row.age_ms === null) return void (await db.run(FINISH, [row.id]));
      const outcome = await this.attempts.make(dialect, { ...row, gated: meetsRules && row.gated }, target);
      if (!outcome) return;
      const { again } = outcome;
      if (!again) return void (await db.run(FINISH, [row.id]));
      await db.run(RETRY, [row.id, again.attempt, again.reason, again.delayMs, clock.wallOffsetMicros]);
      this.onRetryDue(again.delayMs);
    } catch (error) {
      this.context.trouble(error as Error);
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
