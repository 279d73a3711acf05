import { statement } from '../../kernel/database/statement.js';
import type { WorkspaceFacts } from '../wire/control-wire.js';
import type { Role } from '../store/user.entity.js';

/* Hand-written: a workspace is seen through the membership in it. */

/** A workspace as one of its members sees it. */
export type MemberWorkspace = WorkspaceFacts & { readonly tenantId: number; readonly memberRole: Role };
export type MemberWorkspaceRow = MemberWorkspace & { [column: string]: unknown };

const COLUMNS = `w.id, w.tenant_id AS "tenantId", w.name, w.domain, w.icon, w.created_at AS "createdAt",
  w.creator_id AS "creatorId", w.is_default AS "isDefault",
  (SELECT joinable FROM tenants WHERE id = w.tenant_id) AS joinable, u.role AS "memberRole",
  (SELECT count(*)::int FROM users p WHERE p.workspace_id = w.id AND p.deleted_at IS NULL AND NOT p.is_bot) AS "memberCount"`;

const OF_MEMBER = `FROM users u JOIN workspaces w ON w.id = u.workspace_id AND w.deleted_at IS NULL
  WHERE u.id = $1 AND u.deleted_at IS NULL`;

export const WORKSPACES_PAGE = statement(
  'chat_workspaces_page',
  `SELECT ${COLUMNS} ${OF_MEMBER} AND (w.created_at, w.id) >= ($2, $3) ORDER BY w.created_at, w.id LIMIT $4`,
);

export const WORKSPACE_OF_MEMBER = statement(
  'chat_workspace_of_member',
  `SELECT ${COLUMNS} ${OF_MEMBER} AND w.id = $2`,
);

/** Held while someone joins, so that concurrent joins count once. */
export const HOLD_WORKSPACE = statement(
  'chat_hold_workspace',
  `SELECT w.id, w.tenant_id AS "tenantId", (SELECT joinable FROM tenants WHERE id = w.tenant_id) AS joinable
   FROM workspaces w WHERE w.id = $1 AND w.deleted_at IS NULL FOR NO KEY UPDATE`,
);

export const MEMBERSHIP = statement(
  'chat_workspace_membership',
  'SELECT deleted_at IS NOT NULL AS "isDeleted" FROM users WHERE workspace_id = $1 AND id = $2',
);

export const MADE_BY = statement(
  'chat_workspaces_made_by',
  'SELECT count(*)::int AS count FROM workspaces WHERE creator_id = $1 AND deleted_at IS NULL',
);

/** A person's name in another workspace, as the default in the next one. */
export const PERSON = statement(
  'chat_person',
  `SELECT name, email, profile ->> 'real_name' AS "realName" FROM users WHERE workspace_id = $1 AND id = $2`,
);

export const CHANGE_WORKSPACE = statement(
  'chat_change_workspace',
  `UPDATE workspaces SET name = coalesce($2, name), domain = coalesce($3, domain), icon = coalesce($4, icon) WHERE id = $1`,
);

/** The workspace and the organization beside it have this in common. */
export const SET_JOINABLE = statement(
  'chat_set_joinable',
  'UPDATE tenants SET joinable = $2 WHERE id = (SELECT tenant_id FROM workspaces WHERE id = $1)',
);

/** A workspace as the control plane shows it. Parameter: its id. */
export const WORKSPACE_FACTS = statement(
  'tenants_workspace_facts',
  `SELECT id, name, domain, icon, created_at AS "createdAt", creator_id AS "creatorId", is_default AS "isDefault",
          (SELECT joinable FROM tenants WHERE id = w.tenant_id) AS joinable,
          (SELECT count(*) FROM users u WHERE u.workspace_id = w.id AND u.deleted_at IS NULL AND NOT u.is_bot) AS "memberCount"
   FROM workspaces w WHERE id = $1`,
);
