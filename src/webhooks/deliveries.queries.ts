import { statement } from '../kernel/database/statement.js';
import type { EventColumns } from '../kernel/events/recorded-event.js';

/* Hand-written: lanes and retries are claimed in sets, skipping those that others hold, by the server's clock. */

/** Shared time: the store's clock moved by the offset (microseconds) in this parameter. */
const now = (param: string): string => `(clock_timestamp() + ${param}::bigint * interval '1 microsecond')`;

/** `recorded_at` by the sandbox's clock at that time. */
const EVENT = `EXISTS (SELECT FROM sandboxes sb WHERE sb.tenant_id = e.tenant_id AND sb.has_delivery_rules) AS gated,
  (SELECT sandbox_shift(sb.clock_offset, sb.clock_frozen_at) FROM sandboxes sb WHERE sb.tenant_id = e.tenant_id) AS shift,
  EXISTS (SELECT FROM sandboxes sb WHERE sb.tenant_id = e.tenant_id AND sb.clock_sign_with = 'sandbox') AS signs_by_sandbox,
  (SELECT sb.id_key FROM sandboxes sb WHERE sb.tenant_id = e.tenant_id) AS id_key,
  e.tenant_id, e.product, e.kind, e.room, e.sync_id, e.data, sandbox_moment(e.recorded_at, e.clock) AS recorded_at, e.cause, e.draw`;

/** The time at which the target's sandbox is stopped, if it is. */
const FROZEN_AT = (target: string): string =>
  `(SELECT sb.clock_frozen_at FROM delivery_targets w JOIN sandboxes sb ON sb.tenant_id = w.tenant_id WHERE w.id = ${target})`;

/** `next_at` of a delivery due in this many milliseconds: infinity while the sandbox's time is stopped. */
export const dueIn = (ms: string, offset: string, target: string): string => `
  due_at = CASE WHEN ${ms} > 0 THEN ${FROZEN_AT(target)} + (${ms} * 1000)::bigint END,
  next_at = CASE WHEN ${ms} > 0 AND ${FROZEN_AT(target)} IS NOT NULL THEN 'infinity'
                 ELSE ${now(offset)} + ${ms} * interval '1 millisecond' END`;

export { EVENT as EVENT_COLUMNS, now as sharedNow };

export interface WaitingRow {
  retry_in_ms: number | null;
  target_id: string | null;
  product: string | null;
  /** The tenant whose share it counts towards. */
  share: number | null;
  live: boolean;
  claimed: boolean;
  mine: boolean;
}

/** Nobody leases the target, or the lease has lapsed: another's for a while, in which its holder may write outcomes. */
const IS_FREE = `(t.lane_owner IS NULL OR (t.lane_owner = $5 AND t.lane_until < clock_timestamp())
    OR ($13::boolean AND t.lane_until < clock_timestamp() - $14::int * interval '1 millisecond'))`;

/**
 * Targets with first attempts waiting, from $1 on, at most $2 (a skip scan: its cost is the number of targets, not of
 * deliveries), and of these at most $4 lanes leased to $5: at most $10 of one tenant (or of those that share), less the
 * number it already uses ($8, $9); of the products $11 only the targets $12; another's lease is only taken over
 * if $13, and when it lapsed $14 ms ago. Always returns a row: `retry_in_ms` says when the next retry is due. Leases use the store's real clock, whatever a test does to ours.
 */
export const LOOK = statement(
  'deliveries_look',
  `WITH RECURSIVE waiting AS (
     (SELECT target_id, 1 AS n FROM deliveries WHERE attempt = 0 AND target_id > $1 ORDER BY target_id LIMIT 1)
     UNION ALL
     SELECT following.target_id, waiting.n + 1
       FROM waiting CROSS JOIN LATERAL (
         SELECT d.target_id FROM deliveries d
          WHERE d.attempt = 0 AND d.target_id > waiting.target_id ORDER BY d.target_id LIMIT 1) following
      WHERE waiting.n < $2
   ), seen AS MATERIALIZED (
     SELECT w.target_id, coalesce(n.share_id, n.id) AS share, t.product, coalesce(t.enabled, false) AS live, t.lane_owner,
            t.lane_until, row_number() OVER (
              PARTITION BY coalesce(n.share_id, n.id), ${IS_FREE}
              ORDER BY w.target_id) AS k
       FROM waiting w LEFT JOIN delivery_targets t ON t.id = w.target_id LEFT JOIN tenants n ON n.id = t.tenant_id
   ), free AS (
     SELECT t.id FROM delivery_targets t JOIN seen s ON s.target_id = t.id
       LEFT JOIN unnest($8::bigint[], $9::int[]) AS busy (share, lanes) ON busy.share = s.share
      WHERE t.enabled AND t.product = ANY($3::text[]) AND ${IS_FREE}
        AND s.k <= $10::int - coalesce(busy.lanes, 0) AND (t.product <> ALL($11::text[]) OR t.id = ANY($12::text[]))
      ORDER BY t.id LIMIT $4 FOR UPDATE OF t SKIP LOCKED
   ), claimed AS (
     UPDATE delivery_targets t SET lane_owner = $5, lane_until = clock_timestamp() + $6::int * interval '1 millisecond'
       FROM free WHERE t.id = free.id RETURNING t.id
   )
   SELECT (SELECT (extract(epoch FROM d.next_at - ${now('$7')}) * 1000)::float8
             FROM deliveries d WHERE d.attempt > 0 AND d.next_at < 'infinity' ORDER BY d.next_at LIMIT 1) AS retry_in_ms,
          s.target_id, s.product, s.share, coalesce(s.live, false) AS live,
          c.id IS NOT NULL AS claimed, coalesce(s.lane_owner = $5, false) AS mine
     FROM (SELECT 1) always LEFT JOIN seen s ON true LEFT JOIN claimed c ON c.id = s.target_id
    ORDER BY s.target_id`,
  { keeps: 'everything' },
);

export interface DeliveryRow extends EventColumns {
  id: number;
  target_id: string;
  event_id: number;
  identity: string | null;
  attempt: number;
  reason: string | null;
  /** Null when the event was deleted. */
  age_ms: number | null;
  /** The tenant has rules for its deliveries. */
  gated: boolean;
  /** The request that caused the event. */
  cause: string | null;
  /** The difference between the sandbox's time and real time; null: none. */
  shift: number | null;
  /** Whether timestamps of signatures use the sandbox's time. */
  signs_by_sandbox: boolean;
  /** What tells the receiver's ids from the stored ones; null: they are the same. */
  id_key: number | null;
}

/** The first deliveries of the targets $1, at most $2 each, with their events, in order. */
export const READ_LANES = statement(
  'deliveries_read_lanes',
  `SELECT d.id, t.id AS target_id, d.event_id, d.identity, d.attempt, d.reason,
          (extract(epoch FROM ${now('$3')} - e.recorded_at) * 1000)::float8 AS age_ms, ${EVENT}
     FROM unnest($1::text[]) t (id)
    CROSS JOIN LATERAL (SELECT * FROM deliveries q WHERE q.target_id = t.id AND q.attempt = 0 ORDER BY q.id LIMIT $2) d
     LEFT JOIN events e ON e.id = d.event_id
    ORDER BY d.id`,
);

/**
 * Claims due retries of the products $6 and of deleted targets: at most $2, at most $3 of one target, none of the
 * targets $4 (they have reached their limit), at most $9 of one tenant (or of those that share), less the number it has
 * in flight ($7, $8); of the products $10 only the targets $11; those whose attempt counts as lost only if $12. Of a target of the products $13 it is at most $14. `next_at` becomes the time at which the attempt counts
 * as lost, $5 milliseconds from now.
 */
export const CLAIM_RETRIES = statement(
  'deliveries_claim_retries',
  `WITH due AS (
     SELECT id, next_at, row_number() OVER (PARTITION BY target_id ORDER BY next_at, id) AS n,
            row_number() OVER (PARTITION BY share ORDER BY next_at, id) + in_flight AS k, most
       FROM (SELECT coalesce((SELECT l.most FROM unnest($13::text[], $14::int[]) AS l (product, most) WHERE l.product = t.product), $3) AS most, d.id, d.target_id, d.next_at, coalesce(n.share_id, n.id) AS share, coalesce(busy.retries, 0) AS in_flight
               FROM deliveries d LEFT JOIN delivery_targets t ON t.id = d.target_id AND t.enabled
               LEFT JOIN tenants n ON n.id = t.tenant_id
               LEFT JOIN unnest($7::bigint[], $8::int[]) AS busy (share, retries) ON busy.share = coalesce(n.share_id, n.id)
              WHERE d.attempt > 0 AND d.next_at <= ${now('$1')} AND d.target_id <> ALL($4::text[])
                AND ($12::boolean OR d.held_by IS DISTINCT FROM 'attempt')
                AND (t.id IS NULL OR (t.product = ANY($6::text[]) AND coalesce(busy.retries, 0) < $9::int
                  AND (t.product <> ALL($10::text[]) OR t.id = ANY($11::text[]))))
              ORDER BY d.next_at LIMIT 1000) head
   ), chosen AS (
     -- an array, because the planner would rather read every due row than look a few up
     SELECT d.id FROM deliveries d
      WHERE d.id = ANY(ARRAY(SELECT due.id FROM due WHERE due.n <= due.most AND due.k <= $9::int ORDER BY due.n, due.next_at LIMIT 4 * $2::int))
        AND d.attempt > 0 AND d.next_at <= ${now('$1')}
      ORDER BY d.next_at LIMIT $2 FOR UPDATE OF d SKIP LOCKED
   ), claimed AS (
     UPDATE deliveries d SET next_at = ${now('$1')} + $5::int * interval '1 millisecond', held_by = 'attempt', due_at = NULL
       FROM chosen WHERE d.id = chosen.id RETURNING d.*
   )
   SELECT d.id, d.target_id, d.event_id, d.identity, d.attempt, d.reason,
          (extract(epoch FROM ${now('$1')} - e.recorded_at) * 1000)::float8 AS age_ms, ${EVENT},
          t.product AS target_product
     FROM claimed d LEFT JOIN events e ON e.id = d.event_id
     LEFT JOIN delivery_targets t ON t.id = d.target_id AND t.enabled
    ORDER BY d.id`,
  { keeps: 'everything' },
);
export type RetryRow = DeliveryRow & { target_product: string | null };

/**
 * Writes the outcome of attempts: $1 are finished; $2–$5 wait for their next attempt; $6–$9 are the new states of
 * targets. Rows of targets are locked in order of id, here and everywhere, so that replicas cannot deadlock.
 */
export const RESULTS = statement(
  'deliveries_results',
  `WITH gone AS (
     DELETE FROM deliveries WHERE id = ANY($1::bigint[])
   ), again AS (
     UPDATE deliveries d
        SET attempt = r.attempt, reason = r.reason, held_by = NULL,${dueIn('r.delay_ms', '$10', 'd.target_id')}
       FROM unnest($2::bigint[], $3::int[], $4::float8[], $5::text[]) AS r (id, attempt, delay_ms, reason)
      WHERE d.id = r.id AND d.attempt = r.attempt - 1
   ), result AS MATERIALIZED (
     SELECT * FROM unnest($6::text[], $7::text[], $8::boolean[], $9::int[]) AS s (id, status, reset, exhausted)
   ), locked AS MATERIALIZED (
     SELECT t.id FROM delivery_targets t JOIN result s ON s.id = t.id
      WHERE t.last_status IS DISTINCT FROM s.status OR s.exhausted > 0 OR (s.reset AND t.exhausted_in_row > 0)
      ORDER BY t.id FOR UPDATE OF t
   )
   UPDATE delivery_targets t
      SET last_status = s.status,
          exhausted_in_row = CASE WHEN s.reset THEN 0 ELSE t.exhausted_in_row END + s.exhausted
     FROM locked JOIN result s ON s.id = locked.id
    WHERE t.id = locked.id
   RETURNING t.id, t.product, t.enabled, t.exhausted_in_row`,
  { keeps: 'everything' },
);

/** Renews the lanes $1 of $2; those missing from the answer are lost. */
export const RENEW = statement(
  'deliveries_renew',
  `UPDATE delivery_targets t SET lane_until = clock_timestamp() + $3::int * interval '1 millisecond'
     FROM (SELECT id FROM delivery_targets
            WHERE id = ANY($1::text[]) AND lane_owner = $2 AND enabled ORDER BY id FOR UPDATE) mine
    WHERE t.id = mine.id RETURNING t.id`,
  { keeps: 'everything' },
);

export const RELEASE = statement(
  'deliveries_release',
  `UPDATE delivery_targets t SET lane_owner = NULL, lane_until = NULL
     FROM (SELECT id FROM delivery_targets WHERE id = ANY($1::text[]) AND lane_owner = $2 ORDER BY id FOR UPDATE) mine
    WHERE t.id = mine.id`,
  { keeps: 'everything' },
);

/** Deliveries of targets that were deleted or disabled while they were being queued. */
export const SWEEP = statement(
  'deliveries_sweep',
  `DELETE FROM deliveries d WHERE d.target_id = ANY($1::text[]) AND (d.attempt = 0 OR d.attempt > 0 OR d.attempt < 0)
      AND NOT EXISTS (SELECT 1 FROM delivery_targets t WHERE t.id = d.target_id AND t.enabled)`,
  { keeps: 'everything' },
);

export const COUNT = statement(
  'delivery_counts_add',
  `INSERT INTO delivery_counts AS c (target_id, minute, attempts, failures)
   SELECT s.id, floor(extract(epoch FROM ${now('$4')}) / 60)::int, s.attempts, s.failures
     FROM unnest($1::text[], $2::int[], $3::int[]) AS s (id, attempts, failures) ORDER BY s.id
   ON CONFLICT (target_id, minute)
   DO UPDATE SET attempts = c.attempts + excluded.attempts, failures = c.failures + excluded.failures`,
  { keeps: 'everything' },
);

/** Of the targets $1, those with at least $2 attempts in the last 60 minutes of which more than the share $3 failed. */
export const FAILING = statement(
  'delivery_counts_failing',
  `SELECT target_id AS id FROM delivery_counts
    WHERE target_id = ANY($1::text[]) AND minute > floor(extract(epoch FROM ${now('$4')}) / 60)::int - 60
    GROUP BY target_id HAVING sum(attempts) >= $2::int AND sum(failures) > $3::float8 * sum(attempts)`,
);

export const SET_ENABLED = statement(
  'delivery_targets_set_enabled',
  `UPDATE delivery_targets t SET enabled = $2, exhausted_in_row = 0
     FROM (SELECT id FROM delivery_targets WHERE id = ANY($1::text[]) AND enabled <> $2 ORDER BY id FOR UPDATE) changed
    WHERE t.id = changed.id RETURNING t.id`,
);
export const REMOVE_TARGETS = statement(
  'delivery_targets_remove',
  `DELETE FROM delivery_targets WHERE id = ANY($1::text[])`,
);
/** One statement for each state of a delivery, so that each uses its own partial index. */
export const CLEAR_QUEUE = statement(
  'deliveries_clear',
  `WITH first AS (DELETE FROM deliveries WHERE target_id = ANY($1::text[]) AND attempt = 0),
        held AS (DELETE FROM deliveries WHERE target_id = ANY($1::text[]) AND attempt < 0),
        counts AS (DELETE FROM delivery_counts WHERE target_id = ANY($1::text[]))
   DELETE FROM deliveries WHERE target_id = ANY($1::text[]) AND attempt > 0`,
);

/** For what is sent outside the queue of a tenant ($1). */
export const NEXT_ID = statement(
  'deliveries_next_id',
  `SELECT nextval(pg_get_serial_sequence('deliveries', 'id'))::float8 AS id, sandbox_shift(clock_offset, clock_frozen_at)::float8 AS shift
     FROM sandboxes WHERE tenant_id = $1`,
);

/** Of the tenant of a target ($1): a new one after each reset. */
export const LIFE = statement(
  'deliveries_life',
  `SELECT s.reset_at::text AS life FROM delivery_targets t JOIN sandboxes s ON s.tenant_id = t.tenant_id WHERE t.id = $1 AND t.enabled`,
);

export const DEPTH = statement(
  'deliveries_depth',
  `SELECT count(*) FILTER (WHERE attempt = 0)::int AS first, count(*) FILTER (WHERE attempt > 0)::int AS retries,
          (SELECT extract(epoch FROM clock_timestamp() - e.recorded_at)::float8 FROM events e WHERE e.id =
             (SELECT event_id FROM deliveries WHERE attempt = 0 ORDER BY id LIMIT 1)) AS oldest_seconds
     FROM (SELECT attempt FROM deliveries LIMIT 100000) bounded`,
);

/** Deliveries of events that were not attempted yet. */
export const UNDER_WAY = statement(
  'deliveries_under_way',
  'SELECT 1 AS one FROM deliveries WHERE event_id = ANY($1::bigint[]) AND attempt = 0 LIMIT 1',
);
