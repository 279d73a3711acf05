import { createHmac } from 'node:crypto';

/**
 * `X-Slack-Signature` of these exact bytes; `timestamp` as in `X-Slack-Request-Timestamp`
 * (docs/reference/events.md#signing).
 */
export const slackSignature = (secret: string, timestamp: number | string, body: string | Buffer): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;

/**
 * `Svc-Signature` and `Linear-Signature`: lower-case hex HMAC-SHA256 of these exact bytes
 * (docs/reference/tracker-webhooks.md#delivery).
 */
export const svcSignature = (secret: string, body: string | Buffer): string =>
  createHmac('sha256', secret).update(body).digest('hex');
