import { sharedNow } from './deliveries.queries.js';
import { statement } from '../kernel/database/statement.js';

/* Hand-written: sets of deliveries, by the store's clock and the sandbox's. */

/** Deliveries of a tenant ($1) that wait for a certain time: retries, and those that a rule delays. */
const TIMED = `FROM delivery_targets t JOIN deliveries d ON d.target_id = t.id
  WHERE t.tenant_id = $1 AND d.next_at IS NOT NULL
    AND CASE WHEN d.attempt > 0 THEN d.held_by IS NULL ELSE d.attempt < 0 AND d.held_by IS NOT NULL END`;

/** When they are due by the sandbox's clock, whose time is $2; microseconds. $3: the offset of shared time. */
const DUE = `coalesce(d.due_at, $2::bigint + (extract(epoch FROM d.next_at - ${sharedNow('$3')}) * 1000000)::bigint)`;

/** The clock shows $4 from now on; $5: whether it is frozen there. */
export const MOVE_DELIVERIES = statement(
  'deliveries_move',
  `WITH timed AS MATERIALIZED (SELECT d.id, ${DUE} AS due ${TIMED} ORDER BY d.id FOR UPDATE OF d)
   UPDATE deliveries d
      SET due_at = CASE WHEN $5::boolean AND timed.due > $4::bigint THEN timed.due END,
          next_at = CASE WHEN $5::boolean AND timed.due > $4::bigint THEN 'infinity'
                         ELSE ${sharedNow('$3')} + (timed.due - $4::bigint) * interval '1 microsecond' END
     FROM timed WHERE d.id = timed.id`,
);

export const NEXT_DUE = statement('deliveries_next_due', `SELECT min(${DUE})::float8 AS due ${TIMED}`);

/**
 * Deliveries of a tenant ($1) in flight or due: first attempts, due retries, started attempts. Excludes what only
 * another process could send: of the products $3 the targets $4 alone count.
 */
export const COUNT_BUSY = statement(
  'deliveries_busy',
  `SELECT count(*)::int AS n FROM delivery_targets t JOIN deliveries d ON d.target_id = t.id
    WHERE t.tenant_id = $1 AND t.enabled AND (t.product <> ALL($3::text[]) OR t.id = ANY($4::text[]))
      AND (d.attempt = 0 OR (d.attempt > 0 AND d.held_by IS NOT NULL) OR (d.attempt < 0 AND d.held_by IS NULL)
           OR d.next_at <= ${sharedNow('$2')})`,
);
