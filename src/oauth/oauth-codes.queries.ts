import { statement } from '../kernel/database/statement.js';

/* Hand-written: one statement in each reset. */

/** Drops what somebody was shown or has consented to in a tenant, and the sign-ins of its people on the consent page. */
export const DROP_OF_TENANT = statement(
  'oauth_drop_of_tenant',
  `WITH tickets AS (DELETE FROM oauth_tickets WHERE tenant_id = $1),
   sign_ins AS (
     UPDATE oauth_browsers SET account_id = NULL WHERE account_id IN (
       SELECT u.id FROM users u JOIN workspaces w ON w.id = u.workspace_id WHERE w.tenant_id = $1
       UNION ALL
       SELECT u.account_id FROM tracker_users u JOIN organizations o ON o.id = u.organization_id
       WHERE o.tenant_id = $1 AND u.account_id IS NOT NULL)),
   codes AS (DELETE FROM oauth_codes WHERE home_id = $1)
   DELETE FROM oauth_codes WHERE tenant_id = $1 AND home_id <> $1`,
);
