import type { Clock } from '../kernel/clock/clock.js';
import type { Db, Tx } from '../kernel/database/db.js';
import { statement } from '../kernel/database/statement.js';
import { sharedNow } from './deliveries.queries.js';
import type { EngineContext } from './engine-context.js';

/** Deliveries of a tenant ($1) that wait for a moment: retries, and those that a rule delays. */
const TIMED = `FROM delivery_targets t JOIN deliveries d ON d.target_id = t.id
  WHERE t.tenant_id = $1 AND d.next_at IS NOT NULL
    AND CASE WHEN d.attempt > 0 THEN d.held_by IS NULL ELSE d.attempt < 0 AND d.held_by IS NOT NULL END`;

/** When they are due by the sandbox's clock, which tells $2 now; microseconds. $3: the offset of shared time. */
const DUE = `coalesce(d.due_at, $2::bigint + (extract(epoch FROM d.next_at - ${sharedNow('$3')}) * 1000000)::bigint)`;

/** The clock tells $4 from now on, and stands there or not ($5). */
const MOVE = statement(
  'deliveries_move',
  `WITH timed AS MATERIALIZED (SELECT d.id, ${DUE} AS due ${TIMED} ORDER BY d.id FOR UPDATE OF d)
   UPDATE deliveries d
      SET due_at = CASE WHEN $5::boolean AND timed.due > $4::bigint THEN timed.due END,
          next_at = CASE WHEN $5::boolean AND timed.due > $4::bigint THEN 'infinity'
                         ELSE ${sharedNow('$3')} + (timed.due - $4::bigint) * interval '1 microsecond' END
     FROM timed WHERE d.id = timed.id`,
);

const NEXT = statement('deliveries_next_due', `SELECT min(${DUE})::float8 AS due ${TIMED}`);

/**
 * What of a tenant ($1) is under way or should be: first attempts, what is due, what was begun. Not what only another
 * process could send: of the products $3 the targets $4 alone count.
 */
const BUSY = statement(
  'deliveries_busy',
  `SELECT count(*)::int AS n FROM delivery_targets t JOIN deliveries d ON d.target_id = t.id
    WHERE t.tenant_id = $1 AND t.enabled AND (t.product <> ALL($3::text[]) OR t.id = ANY($4::text[]))
      AND (d.attempt = 0 OR (d.attempt > 0 AND d.held_by IS NOT NULL) OR (d.attempt < 0 AND d.held_by IS NULL)
           OR d.next_at <= ${sharedNow('$2')})`,
);

const LOOK_EVERY_MS = 10;
/** Who sends is told again after so many looks, as another replica may have had its hands full. */
const WAKE_EVERY = 20;

/** Deliveries by the clock of their sandbox: when they are due, and whether that has been done. */
export class DeliveryTimes {
  constructor(
    private readonly context: EngineContext,
    private readonly wakeAll: () => void,
  ) {}

  private get db(): Db {
    return this.context.db;
  }

  private get clock(): Clock {
    return this.context.clock;
  }

  /** The sandbox's clock told `before` until now and tells `after` now, in microseconds. */
  async move(tx: Tx, tenantId: number, times: { before: number; after: number; stands: boolean }): Promise<void> {
    const { before, after, stands } = times;
    await tx.query(MOVE, [tenantId, before, this.clock.wallOffsetMicros, after, stands]);
    tx.afterCommit(() => this.wakeAll());
  }

  /** The next moment at which one is due, by the sandbox's clock, which tells `now`; null: none waits. */
  async next(tenantId: number, now: number): Promise<number | null> {
    const [row] = await this.db.read<{ due: number | null }>(NEXT, [tenantId, now, this.clock.wallOffsetMicros]);
    return row?.due ?? null;
  }

  /** Resolves when nothing is under way any more, or at `end` (performance.now()): then with false. */
  async settled(tenantId: number, end: number): Promise<boolean> {
    for (let look = 0; ; look++) {
      const { products, targetIds } = this.context.dialects.reachable();
      const values = [tenantId, this.clock.wallOffsetMicros, products, targetIds];
      const [row] = await this.db.read<{ n: number }>(BUSY, values);
      if ((row?.n ?? 0) === 0) return true;
      if (performance.now() >= end || !this.context.isRunning()) return false;
      if (look % WAKE_EVERY === 0) this.wakeAll();
      await new Promise((again) => setTimeout(again, LOOK_EVERY_MS));
    }
  }
}
