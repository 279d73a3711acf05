import { statement } from '../../kernel/database/statement.js';

/* Hand-written: sets of an app's rows, each changed in one statement. */

export const REVOKE = statement(
  'chat_revoke_tokens_of_app',
  `UPDATE tokens SET revoked_at = now()
   WHERE app_id = $1 AND workspace_id = $3 AND revoked_at IS NULL
     AND CASE kind WHEN 'refresh' THEN CASE user_id WHEN $4 THEN 'bot' ELSE 'user' END ELSE kind END = ANY($2::text[])
   RETURNING kind, user_id AS "userId"`,
);

export const RESCOPE = statement(
  'chat_rescope_tokens_of_app',
  `UPDATE tokens SET scopes = CASE user_id WHEN $4 THEN $2::text[] ELSE $3::text[] END
   WHERE app_id = $1 AND workspace_id = $5 AND kind IN ('bot', 'user', 'refresh', 'workflow') AND revoked_at IS NULL`,
);
