import { statement } from '../../kernel/database/statement.js';
import { appColumns, APP_SECRETS } from '../access/apps-access.queries.js';

/* Hand-written: a registration with its home and that home's sandbox in one read. */

export const CLIENT = statement(
  'chat_oauth_client',
  `SELECT ${appColumns('a')}, a.is_default AS "isDefault", a.client_secret_hash AS "clientSecretHash", w.tenant_id AS "tenantId",
          w.name AS team, sb.flags
   FROM apps a JOIN workspaces w ON w.id = a.workspace_id AND w.deleted_at IS NULL
   LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id
   WHERE a.client_id = $1 AND a.home_id IS NULL`,
  APP_SECRETS,
);

/** A workspace by its id, or all in which one of these has an account. */
export const WORKSPACES = statement(
  'chat_oauth_workspaces',
  `SELECT w.id, w.name, w.domain, w.tenant_id AS "tenantId", sb.flags, u.id AS "userId", u.name AS "userName", u.profile ->> 'real_name' AS "realName"
   FROM workspaces w LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id
   LEFT JOIN users u ON u.workspace_id = w.id AND u.id = $2 AND u.deleted_at IS NULL AND NOT u.is_bot
   WHERE w.deleted_at IS NULL AND CASE WHEN $1::text IS NULL THEN u.id IS NOT NULL ELSE w.id = $1 END
   ORDER BY w.created_at, w.id LIMIT 100`,
);

/** Active people of a workspace. */
export const PEOPLE = statement(
  'chat_oauth_people',
  `SELECT id, name, profile ->> 'real_name' AS "realName" FROM users
   WHERE workspace_id = $1 AND NOT is_bot AND deleted_at IS NULL
   ORDER BY role <> 'primary_owner', name LIMIT 500`,
);

/** Channels into which a webhook may post, #general first: public ones, and private ones of $2. */
export const CHANNELS = statement(
  'chat_oauth_channels',
  `SELECT c.id, c.name, c.type FROM conversations c
   WHERE c.workspace_id = $1 AND NOT c.is_archived AND (c.type = 'public' OR c.type = 'private' AND EXISTS (
     SELECT FROM members m WHERE m.conversation_id = c.id AND m.user_id = $2))
   ORDER BY NOT c.is_general, c.name LIMIT 1000`,
);

/** What an app holds in a workspace. */
export const GRANTED = statement(
  'chat_oauth_granted',
  `SELECT a.bot_scopes AS "botScopes", a.bot_state AS "botState",
          coalesce((SELECT json_agg(DISTINCT s) FROM tokens t, unnest(t.scopes) s
                    WHERE t.workspace_id = a.workspace_id AND t.app_id = a.id AND t.kind = 'user' AND t.revoked_at IS NULL), '[]') AS "userScopes"
   FROM apps a WHERE a.workspace_id = $1 AND a.id = $2`,
);

/** Which of an app's commands another app of the workspace has. */
export const TAKEN_COMMANDS = statement(
  'chat_oauth_taken_commands',
  `SELECT command FROM slash_commands WHERE workspace_id = $1 AND app_id <> $2 AND command = ANY($3::text[]) ORDER BY 1`,
);
