import { statement } from '../../kernel/database/statement.js';

/* Hand-written: sets of an installation's rows, each changed in one statement; a copy of a row with its sealed columns. */

/**
 * An app in another workspace than its home; nothing where it has been there before. Parameters: app, workspace, bot id,
 * bot user, now.
 */
export const ADD_GUEST = statement(
  'chat_add_guest_app',
  `INSERT INTO apps (id, workspace_id, name, bot_id, bot_user_id, bot_scopes, user_scopes, signing_secret, verification_token,
     interactivity_url, manifest, is_default, creator_id, created_at, socket_mode, home_id, client_id, bot_state, installed_at)
   SELECT id, $2, name, $3, $4, '{}', user_scopes, signing_secret, verification_token,
     interactivity_url, manifest, false, creator_id, $5, socket_mode, workspace_id, NULL, 'none', NULL
   FROM apps WHERE id = $1 AND home_id IS NULL AND workspace_id <> $2
   ON CONFLICT DO NOTHING`,
);

/** Where an app is, its home first. */
export const PLACES_OF_APP = statement(
  'chat_places_of_app',
  `SELECT a.workspace_id AS "workspaceId", w.tenant_id AS "tenantId" FROM apps a JOIN workspaces w ON w.id = a.workspace_id
   WHERE a.id = $1 ORDER BY a.home_id IS NOT NULL, a.workspace_id`,
);

/** Guests whose registration is gone, some at a time. */
export const ORPHANS = statement(
  'chat_orphaned_guests',
  `SELECT g.id, g.workspace_id AS "workspaceId", w.tenant_id AS "tenantId" FROM apps g
   JOIN workspaces w ON w.id = g.workspace_id AND w.deleted_at IS NULL
   WHERE g.home_id IS NOT NULL
     AND NOT EXISTS (SELECT FROM apps h JOIN workspaces o ON o.id = h.workspace_id AND o.deleted_at IS NULL
                     WHERE h.id = g.id AND h.home_id IS NULL)
   LIMIT 200`,
);

/** What an app was given of one user: its bot or a person, in a workspace. */
const EVER_OF_USER = `workspace_id = $1 AND app_id = $2 AND user_id = $3`;
/** What it holds. */
const OF_USER = `${EVER_OF_USER} AND revoked_at IS NULL`;
/** A half is an app's bot, or one person of it: its tokens and what refreshes them. */
const OF_HALF = `${OF_USER} AND kind IN ('bot', 'user', 'refresh')`;

/** An access token with an end. */
const ROTATES = `kind NOT LIKE '%refresh' AND expires_at IS NOT NULL`;

export const SCOPES_OF_HALF = statement(
  'chat_scopes_of_half',
  `SELECT scopes FROM tokens WHERE ${OF_HALF} ORDER BY created_at DESC LIMIT 1`,
);

export const RESCOPE_HALF = statement(
  'chat_rescope_half',
  `UPDATE tokens SET scopes = $4 WHERE ${OF_HALF} AND scopes <> $4::text[]`,
);

/**
 * Of the newest tokens of these kinds ($7) some go on: $4 long-lived and refresh tokens of each, $5 rotating ones that live
 * at $6. Of those that have ended $8 stay known.
 */
export const PRUNE_HALF = statement(
  'chat_prune_half',
  `WITH forgotten AS (
     DELETE FROM tokens WHERE hash IN (
       SELECT hash FROM tokens
       WHERE ${EVER_OF_USER} AND kind = ANY($7::text[]) AND (revoked_at IS NOT NULL OR expires_at <= $6::bigint)
       ORDER BY created_at DESC, hash OFFSET $8::int))
   UPDATE tokens SET revoked_at = now() WHERE hash IN (
     SELECT hash FROM (
       SELECT hash, ${ROTATES} AS rotates,
              row_number() OVER (PARTITION BY kind, ${ROTATES} ORDER BY created_at DESC, hash) AS n
       FROM tokens WHERE ${OF_USER} AND kind = ANY($7::text[]) AND (kind LIKE '%refresh' OR expires_at IS NULL OR expires_at > $6::bigint)) t
     WHERE n > CASE WHEN rotates THEN $5::int ELSE $4::int END)`,
);

/** Refresh tokens that were used and long-lived tokens that were exchanged end, of these kinds ($5). $4: now. */
export const END_REPLACED = statement(
  'chat_end_replaced_tokens',
  `WITH used AS (
     DELETE FROM tokens WHERE ${OF_USER} AND kind = ANY($5::text[]) AND kind LIKE '%refresh' AND expires_at <= $4::bigint)
   UPDATE tokens SET revoked_at = now() WHERE ${OF_USER} AND kind = ANY($5::text[]) AND is_exchanged`,
);

/** Ends halves: $3 the people and the bot, null for all. */
export const REVOKE_HALVES = statement(
  'chat_revoke_halves',
  `UPDATE tokens SET revoked_at = now()
   WHERE workspace_id = $1 AND app_id = $2 AND kind IN ('bot', 'user', 'refresh', 'workflow') AND revoked_at IS NULL
     AND ($3::text[] IS NULL OR user_id = ANY($3))
   RETURNING user_id AS "userId"`,
);

export const PEOPLE_OF_APP = statement(
  'chat_people_of_app',
  `SELECT DISTINCT user_id AS "userId" FROM tokens
   WHERE workspace_id = $1 AND app_id = $2 AND user_id <> $3 AND kind IN ('user', 'refresh') AND revoked_at IS NULL ORDER BY 1`,
);

/** A bot leaves all channels. */
export const LEAVE_ALL = statement(
  'chat_bot_leaves_all',
  `WITH gone AS (
     DELETE FROM members m USING conversations c
     WHERE c.id = m.conversation_id AND c.workspace_id = $1 AND c.type IN ('public', 'private') AND m.user_id = $2
     RETURNING m.conversation_id)
   UPDATE conversations SET member_count = member_count - 1, members_version = members_version + 1
   WHERE id IN (SELECT conversation_id FROM gone)`,
);

/** Targets of an app in a workspace. $3: one URL and the sockets, or null for all. */
export const TARGETS = statement(
  'chat_targets_of_app',
  `SELECT id, url FROM event_targets
   WHERE workspace_id = $1 AND (app_id = $2 OR scoped_app_id = $2) AND ($3::text IS NULL OR url = $3 OR is_socket)`,
);

/** Of a person's configuration tokens the newest $3 of each kind are kept. */
export const PRUNE_CONFIG = statement(
  'chat_prune_configuration_tokens',
  `DELETE FROM tokens WHERE hash IN (
     SELECT hash FROM (
       SELECT hash, row_number() OVER (PARTITION BY kind ORDER BY created_at DESC, hash) AS n
       FROM tokens WHERE workspace_id = $1 AND user_id = $2 AND kind IN ('config', 'config_refresh')) t
     WHERE n > $3::int)`,
);
