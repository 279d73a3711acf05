import { statement } from '../../kernel/database/statement.js';

/* Hand-written: the engine's reads of many targets at once. */

export const TARGETS = statement(
  'tracker_delivery_targets',
  `SELECT w.id::text AS id, w.url, w.secret, a.name AS app
   FROM tracker_webhooks w LEFT JOIN oauth_applications a ON a.id = w.application_id
   WHERE w.id = ANY($1::uuid[]) AND w.enabled`,
  { opens: ['secret'] },
);
