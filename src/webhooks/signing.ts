import { createHmac } from 'node:crypto';

/** `X-Slack-Signature` of these exact bytes; `timestamp` as in `X-Slack-Request-Timestamp` (messaging.md D.6). */
export const slackSignature = (secret: string, timestamp: number | string, body: string | Buffer): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;

/** `Svc-Signature` and `Linear-Signature`: lower-case hex HMAC-SHA256 of these exact bytes (tracker.md i.2). */
export const svcSignature = (secret: string, body: string | Buffer): string =>
  createHmac('sha256', secret).update(body).digest('hex');
