import { statement } from '../database/statement.js';

/* Hand-written: every replica runs this many times a second. */

const COLUMNS = `id, tenant_id, product, kind, room, sync_id, data, recorded_at`;

// one statement, so one snapshot: a reader that sees an event sees the earlier ones of the same conversation
export const READ_TAIL = statement(
  'event_tail_read',
  `(SELECT ${COLUMNS} FROM events WHERE id = ANY($2::bigint[]))
   UNION ALL
   (SELECT ${COLUMNS} FROM events WHERE id > $1 ORDER BY id LIMIT $3)
   ORDER BY id`,
);

export const END_OF_LOG = statement(
  'event_tail_end',
  `WITH log AS MATERIALIZED (SELECT coalesce(max(id), 0) AS last FROM events)
   SELECT log.last,
          ARRAY(SELECT g FROM generate_series(greatest(1, log.last - $1::int), log.last) g
                 WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.id = g)) AS missing
     FROM log`,
);
