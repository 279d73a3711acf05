import { statement } from '../../kernel/database/statement.js';

/* Hand-written: the engine's reads of many targets at once. */

export const TARGETS = statement(
  'tracker_delivery_targets',
  'SELECT id::text AS id, url, secret FROM tracker_webhooks WHERE id = ANY($1::uuid[]) AND enabled',
  { opens: ['secret'] },
);
