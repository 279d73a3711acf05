import { statement } from '../../kernel/database/statement.js';
import { insertTargetsParts } from '../events/event-targets.queries.js';

/* Hand-written: a workspace with everything in it in a few statements, so that one is made in milliseconds. */

// Building blocks of statements: each for many rows, or one for the initial data of a workspace.

/** Rows of people and bots in a parameter. */
const people = (rows: string): string =>
  `SELECT * FROM jsonb_to_recordset(${rows}::jsonb) AS p (id text, name text, role text, app_id text, bot_id text, email text,
     profile jsonb, presence text, color text, joins boolean, n integer)`;

/** Those of `p` whose name is free. */
const insertUsers = (workspace: string, now: string): string =>
  `INSERT INTO users (workspace_id, id, name, role, is_bot, app_id, bot_id, email, profile, presence, color, created_at, updated_at)
   SELECT ${workspace}, id, name, role, bot_id IS NOT NULL, app_id, bot_id, email, profile, presence, color, ${now}::bigint + n, ${now}::bigint + n
   FROM p ON CONFLICT (workspace_id, name) DO NOTHING RETURNING id`;

const insertApps = (workspace: string, rows: string): string =>
  `INSERT INTO apps (id, workspace_id, name, bot_id, bot_user_id, bot_scopes, user_scopes, signing_secret, verification_token,
     interactivity_url, manifest, is_default, creator_id, created_at, socket_mode, client_id, client_secret_hash, is_distributed, bot_state, installed_at)
   SELECT id, ${workspace}, name, bot_id, bot_user_id, bot_scopes, user_scopes, signing_secret, verification_token,
     interactivity_url, manifest, is_default, creator_id, created_at, socket_mode, client_id, client_secret_hash, is_distributed, bot_state, installed_at
   FROM jsonb_populate_recordset(NULL::apps, ${rows}::jsonb)`;

/** Rows as `tokenRows` gives them. */
export const insertTokens = (workspace: string, rows: string): string =>
  `INSERT INTO tokens (hash, kind, workspace_id, app_id, user_id, scopes, hint, expires_at, is_consented)
   SELECT hash, kind, ${workspace}, app_id, user_id, scopes, hint, expires_at, is_consented FROM jsonb_populate_recordset(NULL::tokens, ${rows}::jsonb)`;

const memberships = (rows: string): string =>
  `SELECT DISTINCT * FROM jsonb_to_recordset(${rows}::jsonb) AS m (conversation_id text, user_id text)`;

/** Those whose name is free; `m` are their members. */
const insertConversations = (workspace: string, rows: string, now: string): string =>
  `INSERT INTO conversations (id, workspace_id, type, name, members_key, creator_id, is_general, topic, topic_creator,
     topic_set_at, purpose, purpose_creator, purpose_set_at, member_count, created_at, updated_at)
   SELECT c.id, ${workspace}, c.type, c.name, c.members_key, c.creator_id, c.is_general, c.topic,
     CASE WHEN c.topic = '' OR c.members_key IS NOT NULL THEN '' ELSE c.creator_id END,
     CASE WHEN c.topic = '' OR c.members_key IS NOT NULL THEN 0 ELSE ${now}::bigint / 1000000 END, c.purpose,
     CASE WHEN c.purpose = '' OR c.members_key IS NOT NULL THEN '' ELSE c.creator_id END,
     CASE WHEN c.purpose = '' OR c.members_key IS NOT NULL THEN 0 ELSE ${now}::bigint / 1000000 END,
     coalesce(k.count, 0), ${now}::bigint + c.n, ${now}::bigint + c.n
   FROM jsonb_to_recordset(${rows}::jsonb) AS c (id text, type text, name text, members_key text, creator_id text, is_general boolean,
     topic text, purpose text, n integer)
   LEFT JOIN (SELECT conversation_id, count(*) AS count FROM m GROUP BY 1) k ON k.conversation_id = c.id
   ON CONFLICT DO NOTHING RETURNING id`;

const insertMembers = (now: string): string =>
  `INSERT INTO members (conversation_id, user_id, joined_at)
   SELECT m.conversation_id, m.user_id, ${now}::bigint FROM m JOIN stored s ON s.id = m.conversation_id`;

/**
 * The initial data of a workspace, in one statement: apps, people and bots, tokens, event targets, channels with their
 * members. Parameters: workspace, apps, users, tokens, targets, conversations, memberships, now.
 */
export const FOUND_WORKSPACE = statement(
  'chat_found_workspace',
  `WITH new_apps AS (${insertApps('$1', '$2')}),
   p AS MATERIALIZED (${people('$3')}),
   new_users AS (${insertUsers('$1', '$8')}),
   new_tokens AS (${insertTokens('$1', '$4')}),
   ${insertTargetsParts('$5')},
   m AS MATERIALIZED (${memberships('$7')}),
   stored AS (${insertConversations('$1', '$6', '$8')}),
   added AS (${insertMembers('$8')})
   SELECT id FROM new_users`,
);

/** People and bots; those whose name is in use are left out. People join #general. Parameters: workspace, rows, now. */
export const INSERT_USERS = statement(
  'chat_insert_users',
  `WITH p AS MATERIALIZED (${people('$2')}),
   stored AS (${insertUsers('$1', '$3')}),
   added AS (
     INSERT INTO members (conversation_id, user_id, joined_at)
     SELECT c.id, p.id, $3::bigint + p.n FROM conversations c, p JOIN stored s ON s.id = p.id
     WHERE c.workspace_id = $1 AND c.is_general AND p.joins ON CONFLICT DO NOTHING RETURNING conversation_id),
   counted AS (
     UPDATE conversations c SET member_count = member_count + a.n, members_version = members_version + 1
     FROM (SELECT conversation_id, count(*) AS n FROM added GROUP BY 1) a WHERE c.id = a.conversation_id)
   SELECT id FROM stored`,
);

export const INSERT_APPS = statement('chat_insert_apps', insertApps('$1', '$2'));

/** Commands that an app of the workspace has already are left out. */
export const INSERT_COMMANDS = statement(
  'chat_insert_slash_commands',
  `INSERT INTO slash_commands (id, workspace_id, app_id, command, url, description, usage_hint, creator_id, created_at)
   SELECT id, $1, app_id, command, url, description, usage_hint, creator_id, created_at
   FROM jsonb_populate_recordset(NULL::slash_commands, $2::jsonb)
   ON CONFLICT (workspace_id, command) DO NOTHING RETURNING command`,
);

/** Tokens that are not in use. */
export const INSERT_TOKENS = statement('chat_insert_tokens', insertTokens('$1', '$2'));

/** Conversations with their members; those whose name is in use are left out. Parameters: workspace, rows, memberships, now. */
export const INSERT_CONVERSATIONS = statement(
  'chat_insert_conversations',
  `WITH m AS MATERIALIZED (${memberships('$3')}),
   stored AS (${insertConversations('$1', '$2', '$4')}),
   added AS (${insertMembers('$4')})
   SELECT id FROM stored`,
);

/** Adds those who are not members yet, to any conversations. Parameters: memberships, now. */
export const ADD_MEMBERSHIPS = statement(
  'chat_add_memberships',
  `WITH added AS (
     INSERT INTO members (conversation_id, user_id, joined_at)
     SELECT DISTINCT conversation_id, user_id, $2::bigint
     FROM jsonb_to_recordset($1::jsonb) AS m (conversation_id text, user_id text) ON CONFLICT DO NOTHING RETURNING conversation_id)
   UPDATE conversations c SET member_count = member_count + a.n, members_version = members_version + 1
   FROM (SELECT conversation_id, count(*) AS n FROM added GROUP BY 1) a WHERE c.id = a.conversation_id`,
);

/** Ims and mpims by the sets of their members. */
export const DIRECTS = statement(
  'chat_directs_of_members',
  'SELECT id, members_key AS key, last_ts AS "lastTs" FROM conversations WHERE workspace_id = $1 AND members_key = ANY($2::text[])',
);
