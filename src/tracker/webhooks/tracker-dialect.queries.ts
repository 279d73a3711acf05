import { statement } from '../../kernel/database/statement.js';

/* By hand: deliveries are planned with each change, for all its events and webhooks at once. */

/** One row for each event and each webhook that receives it; `identity` is the delivery's id on the wire. */
export const PLAN = statement(
  'tracker_plan_deliveries',
  `INSERT INTO deliveries (target_id, event_id, identity)
   SELECT w.id::text, e.id, gen_random_uuid()::text
   FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::boolean[]) AS e (id, organization_id, type, team_ids, is_public)
   JOIN tracker_webhooks w ON w.organization_id = e.organization_id AND w.enabled AND e.type = ANY(w.resource_types)
     AND CASE WHEN w.all_public_teams THEN e.is_public ELSE w.team_id = ANY(e.team_ids::uuid[]) END
   ORDER BY e.id`,
);

export const TARGETS = statement(
  'tracker_delivery_targets',
  'SELECT id::text AS id, url, secret FROM tracker_webhooks WHERE id = ANY($1::uuid[]) AND enabled',
  { opens: ['secret'] },
);

export const DISABLE = statement(
  'tracker_disable_webhooks',
  'UPDATE tracker_webhooks SET enabled = false WHERE id = ANY($1::uuid[])',
);
