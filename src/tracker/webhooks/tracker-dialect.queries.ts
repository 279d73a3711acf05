import { statement } from '../../kernel/database/statement.js';

/* Hand-written: the engine's reads and changes of many targets at once. */

export const TARGETS = statement(
  'tracker_delivery_targets',
  'SELECT id::text AS id, url, secret FROM tracker_webhooks WHERE id = ANY($1::uuid[]) AND enabled',
  { opens: ['secret'] },
);

export const DISABLE = statement(
  'tracker_disable_webhooks',
  'UPDATE tracker_webhooks SET enabled = false WHERE id = ANY($1::uuid[])',
);
