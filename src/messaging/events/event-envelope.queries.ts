import { statement } from '../../kernel/database/statement.js';

/* Hand-written: joins, once for a batch of deliveries. */

/** Whether an app is an agent or an assistant, as `isAgent` and `isAssistant` judge it. */
const IS_AGENT = `(socket_mode = 'auto' OR manifest #> '{features,agent_view}' IS NOT NULL OR manifest #> '{features,assistant_view}' IS NOT NULL)`;

export const TARGETS_TO_SEND = statement(
  'chat_targets_to_send',
  `SELECT t.id, t.url, coalesce(t.secret, a.signing_secret, '') AS secret, t.workspace_id AS "workspaceId",
          a.id AS "apiAppId", a.verification_token AS "verificationToken",
          t.app_id IS NOT NULL AND coalesce(a.is_agent, false) AS "isAgent"
   FROM event_targets t
   JOIN workspaces w ON w.id = t.workspace_id AND w.deleted_at IS NULL
   LEFT JOIN LATERAL (
     SELECT id, signing_secret, verification_token, ${IS_AGENT} AS is_agent FROM apps
     WHERE workspace_id = t.workspace_id AND (t.app_id IS NULL OR id = t.app_id)
     ORDER BY is_default DESC, home_id IS NOT NULL, created_at, id LIMIT 1) a ON true
   WHERE t.id = ANY($1::text[])`,
  { opens: ['secret', 'verificationToken'] },
);
