/*
 * Hand-written: rows of the chat that statements over both products join (src/tenants). Each is a subquery, which the
 * planner takes apart as it does a view; its columns are what others may count on.
 */

/** Workspaces, ended ones too. */
export const WORKSPACE_ROWS =
  '(SELECT id, tenant_id, name, domain, creator_id, is_default, deleted_at FROM workspaces)';

/** People and bots, by account. */
export const USER_ROWS =
  '(SELECT workspace_id, id, name, role, email, profile, presence, is_bot, deleted_at FROM users)';

/** The accounts of a tenant's people. */
export const accountsOfWorkspace = (tenant: string): string =>
  `SELECT u.id FROM users u JOIN workspaces w ON w.id = u.workspace_id WHERE w.tenant_id = ${tenant} AND NOT u.is_bot`;
