/*
 * Hand-written: rows of the tracker that statements over both products join (src/tenants). Each is a subquery, which the
 * planner takes apart as it does a view; its columns are what others may count on.
 */

export const ORGANIZATION_ROWS = '(SELECT id, tenant_id, url_key FROM organizations)';

/** Users, also those of applications, which have no account. */
export const TRACKER_USER_ROWS =
  '(SELECT id, organization_id, account_id, application_id, name, display_name, email, admin, active FROM tracker_users)';

/** As SQL: the key of the oldest team of an organization; empty where it has none. */
export const firstTeamKey = (organization: string): string =>
  `coalesce((SELECT k.key FROM teams k WHERE k.organization_id = ${organization} AND k.archived_at IS NULL
                    ORDER BY k.created_at, k.id LIMIT 1), '')`;

/** The accounts of a tenant's users. */
export const accountsOfOrganization = (tenant: string): string =>
  `SELECT u.account_id FROM tracker_users u JOIN organizations o ON o.id = u.organization_id WHERE o.tenant_id = ${tenant}`;
