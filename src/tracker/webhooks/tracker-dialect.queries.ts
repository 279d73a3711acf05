import { statement } from '../../kernel/database/statement.js';

/* Hand-written: the engine's reads of many targets at once. */

export const TARGETS = statement(
  'tracker_delivery_targets',
  `SELECT w.id::text AS id, w.url, w.secret, a.name AS app
   FROM tracker_webhooks w LEFT JOIN oauth_applications a ON a.id = w.application_id
   WHERE w.id = ANY($1::uuid[]) AND w.enabled`,
  { opens: ['secret'] },
);

/** Secrets as they are stored. */
export const TRACKER_WEBHOOK_ROWS = '(SELECT id, organization_id, application_id, url, secret FROM tracker_webhooks)';

/** The signing secrets of a tenant's webhooks, as rows (id, secret). */
export const signingSecrets = (tenant: string): string =>
  `SELECT h.id::text, h.secret FROM tracker_webhooks h JOIN organizations o ON o.id = h.organization_id
              WHERE o.tenant_id = ${tenant}`;
