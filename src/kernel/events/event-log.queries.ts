import { statement } from '../database/statement.js';

/* Hand-written: a write ends with this one statement, unless its product writes its events itself. */

export const INSERT_EVENTS = statement(
  'events_insert',
  `INSERT INTO events (tenant_id, product, kind, room, data, cause, clock, draw)
   SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[])
   RETURNING id`,
);
