/* Hand-written: parts of statements over both products (src/tenants). */

/** As SQL: how many issues of an organization are not archived. */
export const countIssues = (organization: string): string =>
  `(SELECT count(*) FROM issues i WHERE i.organization_id = ${organization} AND i.archived_at IS NULL)::int`;

/** As SQL: how many issues a tenant has, archived ones too. */
export const countIssuesOfTenant = (tenant: string): string =>
  `(SELECT count(*)::int FROM organizations o JOIN issues i ON i.organization_id = o.id WHERE o.tenant_id = ${tenant})`;

/** As SQL: when the newest issue of an organization was made, in microseconds. */
export const newestIssue = (organization: string): string =>
  `(SELECT (extract(epoch FROM max(created_at)) * 1000000)::bigint FROM issues WHERE organization_id = ${organization})`;
