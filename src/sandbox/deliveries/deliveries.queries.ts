import { statement } from '../../kernel/database/statement.js';
import { appOfTarget } from '../../tenants/both-products.queries.js';

/* Hand-written: a rule's matches are counted under its lock; attempts are recorded in batches. */

export interface RuleRow extends Record<string, unknown> {
  id: string;
  on_delivery: Record<string, unknown>;
  action: Record<string, unknown>;
  times: number | null;
  skip: number;
  seen: number;
  fired: number;
  created_at: Date;
}

const RULE = 'id, on_delivery, action, times, skip, seen::int AS seen, fired::int AS fired, created_at';

/** Inserts nothing if the sandbox has reached its limit ($7); run one by one. The flag is set with the first. */
export const INSERT_RULE = statement(
  'sandbox_insert_delivery_rule',
  `WITH flagged AS (
     UPDATE sandboxes SET has_delivery_rules = true WHERE tenant_id = $2 AND NOT has_delivery_rules)
   INSERT INTO delivery_rules (id, tenant_id, on_delivery, action, times, skip)
   SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT count(*) FROM delivery_rules WHERE tenant_id = $2) < $7
   RETURNING ${RULE}`,
);

export const RULES = statement(
  'sandbox_delivery_rules',
  `SELECT ${RULE} FROM delivery_rules WHERE tenant_id = $1 ORDER BY place`,
);

/** One ($2), or all of them (null); run one by one, so that a rule created meanwhile keeps its flag. */
export const DELETE_RULES = statement(
  'sandbox_delete_delivery_rules',
  `WITH gone AS (DELETE FROM delivery_rules WHERE tenant_id = $1 AND ($2::text IS NULL OR id = $2) RETURNING id),
        flagged AS (
     UPDATE sandboxes SET has_delivery_rules = false WHERE tenant_id = $1 AND has_delivery_rules
        AND NOT EXISTS (SELECT 1 FROM delivery_rules r WHERE r.tenant_id = $1 AND ($2::text IS NOT NULL AND r.id <> $2)))
   SELECT id FROM gone`,
);

/** Counts a match and returns whether the rule applies: exactly as often as configured, over all replicas. */
export const TAKE_RULE = statement(
  'sandbox_take_delivery_rule',
  `UPDATE delivery_rules
      SET seen = seen + 1,
          fired = fired + CASE WHEN seen >= skip AND (times IS NULL OR fired < times) THEN 1 ELSE 0 END
    WHERE id = $1 RETURNING seen > skip AND (times IS NULL OR seen - skip <= times) AS fires`,
);

export const HELD_BY = statement(
  'sandbox_held_by',
  `SELECT id::float8 AS id FROM deliveries WHERE target_id IN (SELECT id FROM delivery_targets WHERE tenant_id = $1)
      AND attempt < 0 AND held_by = $2 ORDER BY id`,
);

/** $1: deliveries with their new attempts, which are appended to earlier ones; as JSON, each once. */
export const RECORD_ATTEMPTS = statement(
  'sandbox_record_attempts',
  `INSERT INTO delivery_history AS h (id, tenant_id, target_id, product, url, event_id, identity, public_event_id, kind, state,
     attempts, next_retry_at, updated_at)
   SELECT r.id, t.id, r.target_id, r.product, r.url, r.event_id, r.identity, r.public_event_id, r.kind, r.state,
          r.attempts::jsonb, r.next_retry_at, clock_timestamp()
     FROM jsonb_to_recordset($1::jsonb) AS r (id bigint, tenant_id bigint, target_id text, product text, url text,
            event_id bigint, identity text, public_event_id text, kind text, state text, attempts text, next_retry_at timestamptz)
     JOIN tenants t ON t.id = r.tenant_id ORDER BY r.id
   ON CONFLICT (id) DO UPDATE SET state = excluded.state, attempts = h.attempts || excluded.attempts,
     next_retry_at = excluded.next_retry_at, updated_at = excluded.updated_at`,
  { keeps: 'everything' },
);

/** Copies of attempts, appended to the earlier ones: they do not count as the delivery's outcome. */
export const RECORD_COPIES = statement(
  'sandbox_record_copies',
  `UPDATE delivery_history h SET attempts = h.attempts || r.attempts::jsonb, updated_at = clock_timestamp()
     FROM jsonb_to_recordset($1::jsonb) AS r (id bigint, attempts text) WHERE h.id = r.id`,
  { keeps: 'everything' },
);

/** Deletes the oldest finished deliveries of a sandbox ($1), beyond this number ($2) and this many bytes ($3). */
export const TRIM_HISTORY = statement(
  'sandbox_trim_deliveries',
  `DELETE FROM delivery_history h USING (
     SELECT id, row_number() OVER newest AS n, sum(pg_column_size(attempts)) OVER newest AS total FROM delivery_history
      WHERE tenant_id = $1 WINDOW newest AS (ORDER BY id DESC)) kept
    WHERE h.id = kept.id AND h.state <> 'retrying' AND (kept.n > $2::int OR kept.total > $3::float8)`,
  { keeps: 'everything' },
);

export const FORGET_HISTORY = statement(
  'sandbox_forget_deliveries',
  `DELETE FROM delivery_history WHERE updated_at < clock_timestamp() - interval '1 hour'`,
);

/** Everything that is queued or finished, of one sandbox. */
const ALL = `
  WITH everything AS (
    SELECT d.id, d.target_id, t.product, h.url, d.event_id, e.kind, h.public_event_id,
           CASE WHEN d.attempt < 0 AND d.held_by IS NOT NULL THEN 'held' WHEN d.attempt < 0 OR d.held_by IS NOT NULL OR d.id = ANY($4::bigint[]) THEN 'in_flight'
                WHEN d.attempt = 0 THEN 'waiting' ELSE 'retrying' END AS state, e.data, e.recorded_at,
           coalesce(h.attempts, '[]'::jsonb) AS attempts, CASE WHEN d.attempt <> 0 THEN coalesce(to_timestamp(d.due_at / 1e6), sandbox_moment(d.next_at, sandbox_shift(sb.clock_offset, sb.clock_frozen_at))) END AS next_at
      FROM delivery_targets t JOIN deliveries d ON d.target_id = t.id
      LEFT JOIN events e ON e.id = d.event_id LEFT JOIN delivery_history h ON h.id = d.id
      LEFT JOIN sandboxes sb ON sb.tenant_id = t.tenant_id
     WHERE t.tenant_id = $1
    UNION ALL
    SELECT h.id, h.target_id, h.product, h.url, h.event_id, h.kind, h.public_event_id, h.state, e.data, e.recorded_at, h.attempts, NULL
      FROM delivery_history h LEFT JOIN events e ON e.id = h.event_id
     WHERE h.tenant_id = $1 AND h.state IN ('done', 'failed') AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = h.id))`;

export const COUNT_DELIVERIES = statement(
  'sandbox_count_deliveries',
  `${ALL} SELECT state, count(*)::int AS n FROM everything
    WHERE ($2::text IS NULL OR target_id = $2) AND ($3::text IS NULL OR kind = $3) GROUP BY state`,
);

const page = (name: string, comparison: string, order: string) =>
  statement(
    name,
    `${ALL} SELECT id::float8 AS id, target_id, product, url, kind, public_event_id, state, data, recorded_at, attempts, next_at FROM everything
      WHERE ($2::text IS NULL OR target_id = $2) AND ($3::text IS NULL OR kind = $3)
        AND ($5::text[] IS NULL OR state = ANY($5::text[])) AND ($6::bigint IS NULL OR id ${comparison} $6)
      ORDER BY id ${order} LIMIT $7`,
  );
export const DELIVERIES_PAGE = {
  asc: page('sandbox_deliveries_page', '>=', ''),
  desc: page('sandbox_deliveries_page_desc', '<=', 'DESC'),
};

/** The apps of targets ($2) of a sandbox, and whether they are enabled; commands and interactions have no targets. */
export const TARGETS_OF = statement(
  'sandbox_targets_of_deliveries',
  `SELECT d.id, ${appOfTarget('d.id')} AS "appId", d.enabled FROM delivery_targets d
    WHERE d.tenant_id = $1 AND d.id = ANY($2::text[])`,
);

export interface TargetOfDelivery extends Record<string, unknown> {
  id: string;
  appId: string | null;
  enabled: boolean;
}

/** What is read of a recorded attempt. */
export interface Attempt {
  readonly wall?: string;
  readonly request?: { readonly body?: unknown };
}

export interface ListedDelivery extends Record<string, unknown> {
  id: number;
  target_id: string;
  product: string;
  url: string | null;
  kind: string | null;
  public_event_id: string | null;
  state: string;
  /** The event's data; a command or an interaction has none. */
  data: string | null;
  recorded_at: Date | null;
  attempts: Attempt[];
  next_at: Date | null;
}

export const ONE_DELIVERY = statement(
  'sandbox_one_delivery',
  `SELECT h.id::float8 AS id, h.target_id AS "targetId", h.event_id::float8 AS "eventId", h.identity, d.id IS NOT NULL AS queued,
          coalesce(d.attempt < 0, false) AS held
     FROM (SELECT $2::bigint AS id) asked
     LEFT JOIN delivery_history h ON h.id = asked.id AND h.tenant_id = $1
     LEFT JOIN (SELECT q.* FROM deliveries q JOIN delivery_targets t ON t.id = q.target_id AND t.tenant_id = $1) d ON d.id = asked.id
    WHERE h.id IS NOT NULL OR d.id IS NOT NULL`,
);

/** Makes retries of a sandbox, or the one with the id $3, due now, whatever its clock shows. */
export const MAKE_DUE = statement(
  'sandbox_make_due',
  `UPDATE deliveries d SET next_at = clock_timestamp() - interval '1 second' + $2::bigint * interval '1 microsecond', due_at = NULL
     FROM delivery_targets t WHERE t.tenant_id = $1 AND d.target_id = t.id AND d.attempt > 0 AND d.held_by IS NULL
      AND ($3::bigint IS NULL OR d.id = $3)
   RETURNING d.id`,
);

export const COUNT_RULES = statement(
  'sandbox_count_delivery_rules',
  `SELECT tenant_id AS id, count(*)::int AS n FROM delivery_rules WHERE tenant_id = ANY($1::bigint[]) GROUP BY tenant_id`,
);
