import { statement } from '../../kernel/database/statement.js';

/*
 * Hand-written: through the organization that they hang on. Tables of other rooms: tracker_webhooks. The names that
 * tests may use are told in one place.
 */

/** The webhooks of a tenant, by id and address. */
export const WEBHOOK_NAMES = statement(
  'tracker_webhook_names',
  `SELECT w.id::text AS id, w.url FROM organizations o JOIN tracker_webhooks w ON w.organization_id = o.id WHERE o.tenant_id = $1`,
);
