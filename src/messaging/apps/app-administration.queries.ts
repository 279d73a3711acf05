import { statement } from '../../kernel/database/statement.js';

/* By hand: sets of an app's rows, each changed in one statement. */

export const REVOKE = statement(
  'chat_revoke_tokens_of_app',
  `UPDATE tokens SET revoked_at = now() WHERE app_id = $1 AND kind = ANY($2::text[]) AND revoked_at IS NULL
   RETURNING kind, user_id AS "userId"`,
);

export const LIVE_TOKENS = statement(
  'chat_live_tokens_of_app',
  `SELECT kind, user_id AS "userId" FROM tokens WHERE app_id = $1 AND revoked_at IS NULL`,
);

/** What is still to be sent for the first time. */
export const UNDER_WAY = statement(
  'chat_deliveries_under_way',
  'SELECT 1 AS one FROM deliveries WHERE event_id = ANY($1::bigint[]) AND attempt = 0 LIMIT 1',
);

/** Tokens that are derived from the installation's secret are others from now on. */
export const NEXT_VERSION = statement(
  'chat_next_token_version',
  'UPDATE apps SET token_version = token_version + 1 WHERE id = $1',
);

export const RESCOPE = statement(
  'chat_rescope_tokens_of_app',
  `UPDATE tokens SET scopes = CASE kind WHEN 'bot' THEN $2::text[] ELSE $3::text[] END
   WHERE app_id = $1 AND kind IN ('bot', 'user') AND revoked_at IS NULL`,
);

export const REPLACE_MANIFEST = statement(
  'chat_replace_manifest',
  `UPDATE apps SET name = $2, bot_scopes = $3, user_scopes = $4, interactivity_url = $5, manifest = $6, socket_mode = $7 WHERE id = $1`,
);

export const DELETE_COMMANDS = statement(
  'chat_delete_commands_of_app',
  'DELETE FROM slash_commands WHERE app_id = $1 AND ($2::text[] IS NULL OR command = ANY($2::text[]))',
);

export const TARGETS = statement(
  'chat_targets_of_app',
  'SELECT id, url FROM event_targets WHERE (app_id = $1 OR scoped_app_id = $1) AND ($2::text IS NULL OR url = $2 OR is_socket)',
);

export const DELETE_TARGETS = statement('chat_delete_targets', 'DELETE FROM event_targets WHERE id = ANY($1::text[])');

export const DELETE_INCOMING = statement(
  'chat_delete_incoming_of_app',
  'DELETE FROM incoming_webhooks WHERE app_id = $1',
);

export const DEACTIVATE_BOT = statement(
  'chat_deactivate_bot',
  'UPDATE users SET deleted_at = now(), updated_at = $3 WHERE workspace_id = $1 AND id = $2',
);

export const DELETE_APP = statement('chat_delete_app', 'DELETE FROM apps WHERE id = $1');
