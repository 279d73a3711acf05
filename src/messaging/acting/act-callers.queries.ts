import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a person by id, name or e-mail, with workspace and sandbox, in one round trip. */

export const ACTING_PERSON = statement(
  'chat_act_person',
  `SELECT u.id, u.name, u.role, u.is_bot AS "isBot", u.deleted_at IS NOT NULL AS "isDeleted", w.id AS "workspaceId", w.name AS "workspaceName", w.domain AS "workspaceDomain",
          w.tenant_id AS "tenantId", w.is_default AS "isDefault", sb.flags, sb.owner
   FROM workspaces w
   LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id
   LEFT JOIN users u ON u.workspace_id = w.id AND (u.id = $2 OR u.name = $2 OR u.email = lower($2))
   WHERE w.deleted_at IS NULL AND (w.id = $1 OR ($1::text IS NULL AND w.is_default))
   ORDER BY (u.id = $2) DESC NULLS LAST, (u.name = $2) DESC NULLS LAST LIMIT 1`,
);
