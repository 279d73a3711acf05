import type { Db } from '../../kernel/database/db.js';
import { eachOf, statement } from '../../kernel/database/statement.js';

/* Tables of other rooms: workspaces. An organization beside a workspace is joined as that is. */

/** Hand-written: it reads the other product's tables, whose entities the tracker does not know. */
const SET_JOINABLE = statement(
  'tracker_set_joinable',
  `UPDATE tenants SET joinable = $2 WHERE id = $1
     AND NOT EXISTS (SELECT FROM workspaces w WHERE w.tenant_id = $1 AND w.deleted_at IS NULL) RETURNING id`,
);

/** False when the organization has a workspace: then that workspace's setting applies. */
export async function setJoinable(db: Db, tenantId: number, joinable: boolean): Promise<boolean> {
  return (await db.run(SET_JOINABLE, [tenantId, joinable])).length > 0;
}

/** Hand-written, as are the next: every token with an organization is checked, many in one statement. */
const IS_USER = statement(
  'tracker_is_user',
  `SELECT 1 FROM tracker_users u JOIN organizations o ON o.id = u.organization_id
   JOIN tenants t ON t.id = o.tenant_id AND t.deleted_at IS NULL
   WHERE u.account_id = $1 AND u.organization_id = $2::uuid`,
);

const SUSPENDED = statement(
  'tracker_suspended_accounts',
  `SELECT r.n FROM ${eachOf('$1::text[]', '$2::uuid[]')} AS r (account_id, organization_id, n)
   JOIN tracker_users u ON u.account_id = r.account_id AND u.organization_id = r.organization_id AND NOT u.active
   JOIN organizations o ON o.id = u.organization_id
   JOIN tenants t ON t.id = o.tenant_id AND t.deleted_at IS NULL`,
);

/** Which user an account is where; active or not. */
export interface UserKey {
  readonly accountId: string;
  readonly organizationId: string;
}

export async function isUser(db: Db, { accountId, organizationId }: UserKey): Promise<boolean> {
  return (await db.read(IS_USER, [accountId, organizationId])).length > 0;
}

/** For each, in order, whether it is suspended there. */
export async function suspendedOf(db: Db, keys: readonly UserKey[]): Promise<boolean[]> {
  const values = [keys.map((key) => key.accountId), keys.map((key) => key.organizationId)];
  const found = new Set((await db.read<{ n: number }>(SUSPENDED, values)).map((row) => row.n));
  return keys.map((_, i) => found.has(i + 1));
}
