import { statement } from '../kernel/database/statement.js';
import { dueIn, sharedNow, EVENT_COLUMNS } from './deliveries.queries.js';

/* Hand-written: deliveries are claimed in sets, skipping those that others hold. */

// a held delivery has attempt = -1 - (attempts made); releasing it sets next_at to when the attempt counts as lost
export const HOLD_DELIVERY = statement(
  'deliveries_hold',
  `UPDATE deliveries SET attempt = CASE WHEN attempt < 0 THEN attempt ELSE -1 - attempt END, held_by = $2, next_at = NULL, due_at = NULL
    WHERE id = $1`,
);

export const HOLD_DELIVERY_FOR = statement(
  'deliveries_hold_for',
  `UPDATE deliveries d SET attempt = CASE WHEN attempt < 0 THEN attempt ELSE -1 - attempt END, held_by = $2,${dueIn('$3::float8', '$4', 'd.target_id')}
    WHERE id = $1`,
);

const claim = (where: string): string => `
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

export const CLAIM_DUE = statement('deliveries_claim_due', claim(`d.next_at <= ${sharedNow('$2')}`), {
  keeps: 'everything',
});

export const CLAIM_CHOSEN = statement(
  'deliveries_claim_chosen',
  claim(`t.tenant_id = $3 AND ($4::bigint[] IS NULL OR d.id = ANY($4::bigint[]))
     AND ($5::text IS NULL OR d.target_id = $5) AND d.held_by IS NOT NULL`),
);

export const FINISH_HELD = statement('deliveries_finish', 'DELETE FROM deliveries WHERE id = $1 AND attempt < 0');

export const RETRY_HELD = statement(
  'deliveries_retry_held',
  `UPDATE deliveries d SET attempt = $2, reason = $3,${dueIn('$4::float8', '$5', 'd.target_id')}
    WHERE id = $1 AND attempt < 0`,
);

/** Back into the queue for one more first attempt, under its old id. */
export const REQUEUE_DELIVERY = statement(
  'deliveries_requeue',
  `INSERT INTO deliveries (id, target_id, event_id, identity, attempt, held_by) OVERRIDING SYSTEM VALUE
   SELECT $1::bigint, t.id, e.id, $4, -1, 'redelivery' FROM delivery_targets t, events e
    WHERE t.id = $2 AND t.enabled AND e.id = $3 ON CONFLICT (id) DO NOTHING RETURNING id`,
);

export const COUNT_HELD = statement(
  'deliveries_count_held',
  `SELECT count(*)::int AS n FROM delivery_targets t JOIN deliveries d ON d.target_id = t.id
    WHERE t.tenant_id = $1 AND d.attempt < 0 AND d.held_by IS NOT NULL`,
);

/** Extends the time until waiting ones count as lost. */
export const RENEW_HELD = statement(
  'deliveries_renew_held',
  `UPDATE deliveries SET next_at = ${sharedNow('$2')} + interval '20 seconds' WHERE id = ANY($1::bigint[]) AND attempt < 0`,
);
