import { MAX_NAMED_TARGETS } from '../../kernel/events/event-log.js';
import { statement } from '../../kernel/database/statement.js';

/*
 * Hand-written: part of every mutation; one statement takes numbers, writes events and queues their deliveries. Tables
 * of other rooms: tracker_webhooks. An event and its deliveries are one statement.
 */

/**
 * CTEs that write the events of the CTE `entries`, in the order of its `n`: with the next numbers of their organizations, and
 * a delivery for each webhook that they concern; `type` is null for what fires none. The organizations are locked in the
 * order of their ids, and should be the transaction's last locks. `numbered` are the entries with `id` and `sync_id`.
 */
export const RECORDING = `
   held AS MATERIALIZED (
     SELECT o.id, w.numbers FROM (SELECT organization_id, count(*) AS numbers FROM entries GROUP BY 1) w
     JOIN organizations o ON o.id = w.organization_id ORDER BY o.id FOR NO KEY UPDATE OF o),
   counted AS MATERIALIZED (
     UPDATE organizations o SET last_sync_id = o.last_sync_id + held.numbers FROM held WHERE o.id = held.id
     RETURNING o.id, o.last_sync_id - held.numbers AS base),
   numbered AS MATERIALIZED (
     SELECT nextval('events_id_seq') AS id, sorted.* FROM (
       SELECT e.*, c.base + row_number() OVER (PARTITION BY e.organization_id ORDER BY e.n) AS sync_id
       FROM entries e JOIN counted c ON c.id = e.organization_id ORDER BY e.n) sorted),
   recorded AS (
     INSERT INTO events (id, tenant_id, product, kind, room, sync_id, data, cause, clock, draw) OVERRIDING SYSTEM VALUE
     SELECT id, tenant_id, 'tracker', kind, room, sync_id, data, cause, clock, draw FROM numbered),
   planned AS (
     INSERT INTO deliveries (target_id, event_id, identity)
     SELECT w.id::text, e.id, gen_random_uuid()::text
     FROM numbered e JOIN tracker_webhooks w ON w.organization_id = e.organization_id AND w.enabled
       AND (e.type = ANY(w.resource_types) OR e.type = 'OAuthApp')
       AND CASE WHEN e.application_id IS NOT NULL THEN w.application_id = e.application_id
                WHEN w.all_public_teams THEN e.is_public ELSE w.team_id = ANY(e.team_ids::uuid[]) END
     ORDER BY e.id RETURNING target_id)`;

/** The targets for which `RECORDING` queued deliveries (`queuedFor`). */
export const QUEUED = `ARRAY(SELECT DISTINCT target_id FROM planned LIMIT ${MAX_NAMED_TARGETS + 1})`;

export const RECORD = statement(
  'tracker_sync_record',
  `WITH entries AS MATERIALIZED (
     SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::uuid[], $8::text[], $9::text[], $10::boolean[], $11::uuid[], $12::text[])
       WITH ORDINALITY AS e (tenant_id, kind, room, data, cause, clock, organization_id, type, team_ids, is_public, application_id, draw, n)),
   ${RECORDING}
   SELECT id, sync_id AS "syncId", CASE WHEN n = 1 THEN ${QUEUED} END AS queued FROM numbered ORDER BY n`,
);
export const CURRENT = statement(
  'tracker_sync_current',
  `SELECT last_sync_id AS "lastSyncId" FROM organizations WHERE id = $1::uuid`,
);
