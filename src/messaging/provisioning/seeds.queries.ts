import { statement } from '../../kernel/database/statement.js';
import { APP_SECRETS, appColumns } from '../access/apps-access.queries.js';

/* Hand-written: what seed documents read and write of a workspace: thousands of rows, each kind in one statement. */

/** The default app first. Parameter: the workspace. */
export const APPS_OF_WORKSPACE = statement(
  'seed_apps',
  `SELECT ${appColumns('a')}, a.is_default AS "isDefault" FROM apps a WHERE a.workspace_id = $1
   ORDER BY a.is_default DESC, a.created_at, a.id`,
  APP_SECRETS,
);

/** Parameters: workspace, names. */
export const CHANNELS_BY_NAME = statement(
  'seed_channels',
  `SELECT id, name, last_ts AS "lastTs" FROM conversations
   WHERE workspace_id = $1 AND type IN ('public', 'private') AND name = ANY($2::text[])`,
);

/** Those of these channels that are private. */
export const PRIVATE_CHANNELS = statement(
  'seed_private_channels',
  "SELECT id FROM conversations WHERE id = ANY($1::text[]) AND type = 'private'",
);

/** Parameter: rows. Fields that a document omits are kept. */
export const SET_CHANNELS = statement(
  'seed_set_channels',
  `UPDATE conversations c SET topic = coalesce(s.topic, c.topic), purpose = coalesce(s.purpose, c.purpose)
   FROM jsonb_to_recordset($1::jsonb) AS s (id text, topic text, purpose text) WHERE c.id = s.id`,
);

/** Parameters: workspace, rows. */
export const SET_USERS = statement(
  'seed_set_users',
  `UPDATE users u SET presence = coalesce(s.presence, u.presence), profile = u.profile || s.profile,
     role = CASE WHEN s.is_admin AND u.role = 'member' THEN 'admin' ELSE u.role END
   FROM jsonb_to_recordset($2::jsonb) AS s (id text, presence text, profile jsonb, is_admin boolean)
   WHERE u.workspace_id = $1 AND u.id = s.id`,
);

/** Parameters: workspace, apps. */
export const COMMANDS_OF_APPS = statement(
  'seed_commands',
  'SELECT app_id AS "appId", command FROM slash_commands WHERE workspace_id = $1 AND app_id = ANY($2::text[])',
);

/** Parameter: rows of apps; a secret that a row omits is kept. */
export const COMPLETE_APPS = statement(
  'seed_complete_apps',
  `UPDATE apps a SET bot_scopes = s.bot_scopes, user_scopes = s.user_scopes, interactivity_url = s.interactivity_url,
     signing_secret = s.signing_secret, manifest = s.manifest, client_id = s.client_id, is_distributed = s.is_distributed,
     client_secret_hash = coalesce(s.client_secret_hash, a.client_secret_hash)
   FROM jsonb_populate_recordset(NULL::apps, $1::jsonb) s WHERE a.workspace_id = s.workspace_id AND a.id = s.id`,
);

/** Parameters: workspace, rows, who makes them, now. */
export const INSERT_INCOMING = statement(
  'seed_incoming',
  `INSERT INTO incoming_webhooks (id, workspace_id, app_id, conversation_id, name, icons, creator_id, created_at)
   SELECT id, $1, app_id, conversation_id, name, nullif(icons, 'null'), $3, $4::bigint
   FROM jsonb_populate_recordset(NULL::incoming_webhooks, $2::jsonb)`,
);
