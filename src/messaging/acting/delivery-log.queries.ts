import { statement } from '../../kernel/database/statement.js';

/* Hand-written: written for every delivery, and read by pages with a filter. */

/** The most deliveries of an app that are kept and shown. */
export const SHOWN = 200;

const RETENTION_MINUTES = 60;

export const SWEEP_BATCH = 5_000;

export const INSERT_APP_DELIVERY = statement(
  'chat_insert_app_deliveries',
  `INSERT INTO app_deliveries (workspace_id, app_id, event_id, target_id, public_event_id, kind, transport, outcome, status_code, error, ms, attempt, at)
   SELECT r.workspace_id, r.app_id, r.event_id, r.target_id, r.public_event_id, r.kind, r.transport, r.outcome, r.status_code, r.error, r.ms, r.attempt,
          clock_timestamp() - r.ago_ms * interval '1 millisecond'
   FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[], $10::text[], $11::int[], $12::int[], $13::float8[])
     AS r (workspace_id, app_id, event_id, target_id, public_event_id, kind, transport, outcome, status_code, error, ms, attempt, ago_ms)`,
);

export const SWEEP_APP_DELIVERIES = statement(
  'chat_sweep_app_deliveries',
  `DELETE FROM app_deliveries WHERE id IN (
     SELECT id FROM app_deliveries WHERE at < now() - interval '${RETENTION_MINUTES} minutes' LIMIT ${SWEEP_BATCH}) RETURNING 1`,
);

export const PAGE_OF_APP_DELIVERIES = statement(
  'chat_app_deliveries_page',
  `SELECT d.app_id, d.kind, d.transport, d.outcome, d.status_code, d.error, d.ms, d.public_event_id AS event_id, d.attempt,
          floor(extract(epoch FROM d.at))::float8 AS at, d.id
   FROM (SELECT * FROM app_deliveries WHERE workspace_id = $1 AND app_id = $2 AND at > now() - interval '${RETENTION_MINUTES} minutes'
         ORDER BY id DESC LIMIT ${SHOWN}) d
   WHERE d.id <= $3 ORDER BY d.id DESC LIMIT $4`,
);
