import { statement } from '../kernel/database/statement.js';

/* Hand-written: batches of old rows, under a lock. */

/** Events per batch, which is one short transaction. */
export const BATCH = 2_000;

/** Any constant will do that no other lock of ours uses. */
const LOCK = 7_430_217;

// one replica at a time; the lock ends with the transaction
export const TRY_RETENTION_LOCK = statement('retention_lock', `SELECT pg_try_advisory_xact_lock(${LOCK}) AS mine`);

export const DELETE_EVENTS = statement(
  'retention_events',
  `WITH head AS MATERIALIZED (
     SELECT id, recorded_at < clock_timestamp() + $2::bigint * interval '1 microsecond' - $3::int * interval '1 hour' AS old
       FROM events WHERE id > $1 ORDER BY id LIMIT ${BATCH}
   ), gone AS (
     DELETE FROM events e USING head h
      WHERE e.id = h.id AND h.old AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id)
     RETURNING e.id
   )
   SELECT (SELECT count(*)::int FROM gone) AS deleted, (SELECT max(id) FROM head WHERE old) AS last,
          (SELECT count(*)::int FROM head WHERE old) AS old`,
);

export const DELETE_COUNTS = statement(
  'retention_counts',
  `DELETE FROM delivery_counts
    WHERE minute < floor(extract(epoch FROM clock_timestamp() + $1::bigint * interval '1 microsecond') / 60)::int - 60`,
);
