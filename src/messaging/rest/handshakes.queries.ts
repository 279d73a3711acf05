import { statement } from '../../kernel/database/statement.js';
import { APP_SECRETS } from '../access/apps-access.queries.js';

/* Hand-written: targets with the secrets of their apps, in one statement. */

export const UNVERIFIED = statement(
  'chat_unverified_targets',
  `SELECT t.id, t.url, a.signing_secret AS "signingSecret", a.verification_token AS "verificationToken"
   FROM event_targets t JOIN apps a ON a.workspace_id = t.workspace_id AND a.id = t.app_id
   WHERE t.workspace_id = $1 AND NOT t.verified AND NOT t.is_socket AND ($2::text IS NULL OR t.app_id = $2) AND ($3::text IS NULL OR t.id = $3)
   ORDER BY t.created_at, t.id LIMIT 200`,
  APP_SECRETS,
);
