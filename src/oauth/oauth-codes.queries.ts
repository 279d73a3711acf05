import { statement } from '../kernel/database/statement.js';

/* Hand-written: one statement in each reset. */

/** Drops what somebody was shown or has consented to in a tenant. */
export const DROP_OF_TENANT = statement(
  'oauth_drop_of_tenant',
  `WITH tickets AS (DELETE FROM oauth_tickets WHERE tenant_id = $1),
   codes AS (DELETE FROM oauth_codes WHERE home_id = $1)
   DELETE FROM oauth_codes WHERE tenant_id = $1 AND home_id <> $1`,
);
