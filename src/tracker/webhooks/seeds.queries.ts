import { statement } from '../../kernel/database/statement.js';

/* Hand-written: what seed documents read and write of webhooks, in sets. */

/** The delivery engine learns of webhooks. Parameters: webhooks, product, organization. */
export const INSERT_TRACKER_TARGETS = statement(
  'seed_tracker_targets',
  `INSERT INTO delivery_targets (id, product, tenant_id, enabled)
   SELECT t.id, $2, o.tenant_id, true FROM unnest($1::text[]) AS t (id), organizations o WHERE o.id = $3::uuid`,
);

/** Those of people, not of applications. Parameter: the organization. */
export const WEBHOOKS_TO_EXPORT = statement(
  'export_webhooks',
  `SELECT id::text, url, label, resource_types AS "resourceTypes", team_id::text AS "teamId" FROM tracker_webhooks
   WHERE organization_id = $1::uuid AND application_id IS NULL ORDER BY created_at, url, id`,
);
