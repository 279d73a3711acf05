import { statement } from '../../kernel/database/statement.js';
import { intoBacklog } from '../../messaging/search/search-backlog.queries.js';
import { APP_SECRETS, appColumns } from '../../messaging/access/apps-access.queries.js';

/* Hand-written: thousands of rows, each kind in one statement. */

export const USERS = statement(
  'seed_users',
  `SELECT u.id, u.name, u.is_bot AS "isBot", t.id AS "trackerId" FROM users u
   LEFT JOIN tracker_users t ON t.account_id = u.id AND t.organization_id = $2::uuid
   WHERE u.workspace_id = $1`,
);

export const APPS = statement(
  'seed_apps',
  `SELECT ${appColumns('a')}, a.is_default AS "isDefault" FROM apps a WHERE a.workspace_id = $1
   ORDER BY a.is_default DESC, a.created_at, a.id`,
  APP_SECRETS,
);

export const CHANNELS = statement(
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

/**
 * Parameters: a list for each column, in the order of the insert, empty if no message has the value; `reply_users` as
 * texts of arrays; the workspace.
 */
export const INSERT_MESSAGES = statement(
  'seed_messages',
  `WITH m AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::bigint[]) AS m (conversation_id, ts)),
   stored AS (
     INSERT INTO messages (conversation_id, ts, thread_ts, user_id, bot_id, text, wire, reply_count, reply_users, reply_users_count,
       latest_reply, reactions)
     SELECT conversation_id, ts, thread_ts, user_id, bot_id, text, wire, coalesce(reply_count, 0), coalesce(reply_users::text[], '{}'),
       coalesce(reply_users_count, 0), latest_reply, reactions
     FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[],
         $10::bigint[], $11::bigint[], $12::text[])
       AS r (conversation_id, ts, thread_ts, user_id, bot_id, text, wire, reply_count, reply_users, reply_users_count, latest_reply,
         reactions)),
   moved AS (
     UPDATE conversations c SET last_ts = l.last FROM (SELECT conversation_id, max(ts) AS last FROM m GROUP BY 1) l WHERE c.id = l.conversation_id)
   ${intoBacklog('m', '$13')}`,
);

export const INSERT_REPLIERS = statement(
  'seed_repliers',
  `INSERT INTO thread_repliers (conversation_id, thread_ts, replier, replies, first_ts)
   SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::int[], $5::bigint[])`,
);

export const INSERT_REACTIONS = statement(
  'seed_reactions',
  `INSERT INTO reactions (conversation_id, ts, name, user_id) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[])`,
);

/** Existing parts of the apps that are completed. */
export const SUBSCRIBED = statement(
  'seed_subscribed',
  'SELECT app_id AS "appId", url FROM event_targets WHERE workspace_id = $2 AND app_id = ANY($1::text[]) AND NOT is_socket',
);

export const COMMANDS = statement(
  'seed_commands',
  'SELECT app_id AS "appId", command FROM slash_commands WHERE workspace_id = $1 AND app_id = ANY($2::text[])',
);

export const COMPLETE_APPS = statement(
  'seed_complete_apps',
  `UPDATE apps a SET bot_scopes = s.bot_scopes, user_scopes = s.user_scopes, interactivity_url = s.interactivity_url,
     signing_secret = s.signing_secret, manifest = s.manifest, client_id = s.client_id, is_distributed = s.is_distributed,
     client_secret_hash = coalesce(s.client_secret_hash, a.client_secret_hash)
   FROM jsonb_populate_recordset(NULL::apps, $1::jsonb) s WHERE a.workspace_id = s.workspace_id AND a.id = s.id`,
);

export const INSERT_INCOMING = statement(
  'seed_incoming',
  `INSERT INTO incoming_webhooks (id, workspace_id, app_id, conversation_id, name, icons, creator_id, created_at)
   SELECT id, $1, app_id, conversation_id, name, nullif(icons, 'null'), $3, $4::bigint
   FROM jsonb_populate_recordset(NULL::incoming_webhooks, $2::jsonb)`,
);

/**
 * The refs of a document's messages, issues and webhooks: copies and exports repeat them. A later object with the same
 * ref wins.
 */
export const SAVE_REFS = statement(
  'seed_save_refs',
  `INSERT INTO seed_refs (tenant_id, ref, thing) SELECT $1, r.key, r.value FROM jsonb_each($2::jsonb) r
   ON CONFLICT (tenant_id, ref) DO UPDATE SET thing = excluded.thing`,
);
