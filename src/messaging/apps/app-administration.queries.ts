import { statement } from '../../kernel/database/statement.js';

/* Hand-written: sets of an app's rows, each changed in one statement. */

export const REVOKE = statement(
  'chat_revoke_tokens_of_app',
  `UPDATE tokens SET revoked_at = now() WHERE app_id = $1 AND kind = ANY($2::text[]) AND revoked_at IS NULL
   RETURNING kind, user_id AS "userId"`,
);

/** Deliveries not attempted yet. */
export const UNDER_WAY = statement(
  'chat_deliveries_under_way',
  'SELECT 1 AS one FROM deliveries WHERE event_id = ANY($1::bigint[]) AND attempt = 0 LIMIT 1',
);

export const RESCOPE = statement(
  'chat_rescope_tokens_of_app',
  `UPDATE tokens SET scopes = CASE kind WHEN 'bot' THEN $2::text[] ELSE $3::text[] END
   WHERE app_id = $1 AND kind IN ('bot', 'user') AND revoked_at IS NULL`,
);

export const TARGETS = statement(
  'chat_targets_of_app',
  'SELECT id, url FROM event_targets WHERE (app_id = $1 OR scoped_app_id = $1) AND ($2::text IS NULL OR url = $2 OR is_socket)',
);
