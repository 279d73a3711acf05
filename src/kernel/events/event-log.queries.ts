import { statement } from '../database/statement.js';

/* By hand: every write of the service ends with this one statement. */

export const INSERT_EVENTS = statement(
  'events_insert',
  `INSERT INTO events (tenant_id, product, kind, room, sync_id, data, cause, clock)
   SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::bigint[])
   RETURNING id`,
);
