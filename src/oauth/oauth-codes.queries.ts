import { StatementShapes, type Statement } from '../kernel/database/statement.js';

/* Hand-written: one statement in each reset. */

const shapes = new StatementShapes('oauth_drop_of_tenant');

/**
 * Drops what somebody was shown or has consented to in a tenant, and the sign-ins of its people on the consent page.
 * @param accounts of its people, as SQL
 */
export const dropOfTenant = (accounts: string): Statement =>
  shapes.of(
    accounts,
    () => `WITH tickets AS (DELETE FROM oauth_tickets WHERE tenant_id = $1),
   sign_ins AS (UPDATE oauth_browsers SET account_id = NULL WHERE account_id IN (${accounts})),
   codes AS (DELETE FROM oauth_codes WHERE home_id = $1)
   DELETE FROM oauth_codes WHERE tenant_id = $1 AND home_id <> $1`,
  );
