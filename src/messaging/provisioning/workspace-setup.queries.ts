import { statement } from '../../kernel/database/statement.js';

/* Hand-written: prepared, as many workspaces are made; unique keys decide which names are free. */

export const INSERT_WORKSPACE = statement(
  'chat_insert_workspace',
  `INSERT INTO workspaces (id, tenant_id, name, domain, is_default, creator_id, created_at, has_own_ids)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT DO NOTHING RETURNING id`,
);

/** The handle as wanted or, where it is in use, with the first free number behind it. */
export const INSERT_USER = statement(
  'chat_insert_user',
  `INSERT INTO users (workspace_id, id, name, role, is_bot, app_id, bot_id, email, profile, color, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) ON CONFLICT (workspace_id, name) DO NOTHING RETURNING id`,
);

export const TAKEN_NAMES = statement(
  'chat_taken_names',
  `SELECT name FROM users WHERE workspace_id = $1 AND name LIKE $2`,
);

/** With more workspaces of like names than this, counting up would be slow. */
export const MANY_ALIKE = 100;

export const TAKEN_DOMAINS = statement(
  'chat_taken_domains',
  `SELECT domain FROM workspaces WHERE domain LIKE $1 AND deleted_at IS NULL AND has_own_ids IS NOT TRUE LIMIT ${MANY_ALIKE}`,
);

/** Longest domain of a workspace without its hyphens (docs/reference/control-plane.md#workspaces). */
export const MAX_DOMAIN = 21;

export const INSERT_APP = statement(
  'chat_insert_app',
  `INSERT INTO apps (id, workspace_id, name, bot_id, bot_user_id, bot_scopes, user_scopes, signing_secret, verification_token,
     interactivity_url, manifest, is_default, creator_id, created_at, socket_mode, client_id, client_secret_hash, bot_state, installed_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
  { seals: [8, 9] },
);

export const INSERT_TOKEN = statement(
  'chat_insert_token',
  `INSERT INTO tokens (hash, kind, workspace_id, app_id, user_id, scopes, hint) VALUES ($1, $2, $3, $4, $5, $6, $7)
   ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL, scopes = excluded.scopes, user_id = excluded.user_id, hint = excluded.hint`,
);

export const INSERT_CHANNEL = statement(
  'chat_insert_channel',
  `INSERT INTO conversations (id, workspace_id, type, name, creator_id, is_general, topic, topic_creator, topic_set_at,
     purpose, purpose_creator, purpose_set_at, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
   ON CONFLICT (workspace_id, name) WHERE type IN ('public', 'private') DO NOTHING RETURNING id`,
);

/** Adds those who are not members yet and counts them; the conversation's row is locked by the count. */
export const ADD_MEMBERS = statement(
  'chat_add_members',
  `WITH added AS (
     INSERT INTO members (conversation_id, user_id, joined_at)
     SELECT $1, u, $3 FROM unnest($2::text[]) u ON CONFLICT DO NOTHING RETURNING user_id),
   counted AS (
     UPDATE conversations SET member_count = member_count + (SELECT count(*) FROM added), members_version = members_version + 1
     WHERE id = $1)
   SELECT user_id FROM added`,
);

export const JOIN_GENERAL = statement(
  'chat_join_general',
  `WITH general AS (SELECT id FROM conversations WHERE workspace_id = $1 AND is_general),
   added AS (
     INSERT INTO members (conversation_id, user_id, joined_at) SELECT id, $2, $3 FROM general
     ON CONFLICT DO NOTHING RETURNING conversation_id),
   counted AS (
     UPDATE conversations SET member_count = member_count + 1, members_version = members_version + 1
     WHERE id IN (SELECT conversation_id FROM added))
   SELECT id FROM general`,
);

/** All handles of a workspace. */
export const HANDLES = statement('tenants_handles', 'SELECT name FROM users WHERE workspace_id = $1');
