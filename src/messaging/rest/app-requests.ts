import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { RestError } from '../../kernel/http/http-error.js';
import { GuardedHttp } from '../../webhooks/guarded-http.js';
import { slackSignature, svcSignature } from '../../webhooks/signing.js';

/** How long an app has to answer, in milliseconds (messaging.md D.5, D.7, E.7). */
export const APP_TIMEOUT_MS = 3_000;
/** Largest answer of an app that is read, in bytes. */
const MAX_ANSWER = 1024 * 1024;

/** Headers of every request to an app (D.6): stamped and signed over these exact bytes. */
export function signedHeaders(
  contentType: 'application/json' | 'application/x-www-form-urlencoded',
  secret: string,
  body: string,
  seconds: number,
): Record<string, string> {
  return {
    'content-type': contentType,
    'x-slack-request-timestamp': String(seconds),
    'x-slack-signature': slackSignature(secret, seconds, body),
    'svc-signature': svcSignature(secret, body),
    'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
  };
}

/** What an app answered with a 2xx. */
export interface AppAnswer {
  readonly status: number;
  readonly text: string;
}

/** Requests that somebody waits for: commands, clicks, handshakes. Sent once, within 3 s. */
@Injectable()
export class AppRequests {
  constructor(
    private readonly http: GuardedHttp,
    private readonly clock: Clock,
  ) {}

  /** @throws RestError 502 operation_timeout, http_client_error, connection_failed */
  async form(url: string, secret: string, fields: Readonly<Record<string, string>>): Promise<AppAnswer> {
    return this.post(url, secret, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString());
  }

  /** @throws RestError as `form` */
  async json(url: string, secret: string, value: object): Promise<AppAnswer> {
    return this.post(url, secret, 'application/json', JSON.stringify(value));
  }

  private async post(
    url: string,
    secret: string,
    contentType: 'application/json' | 'application/x-www-form-urlencoded',
    body: string,
  ): Promise<AppAnswer> {
    const answer = await this.http.post({
      url,
      headers: signedHeaders(contentType, secret, body, this.clock.nowSeconds()),
      body,
      timeoutMs: APP_TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER,
    });
    if (!answer.answered) {
      throw new RestError(502, answer.reason === 'http_timeout' ? 'operation_timeout' : 'connection_failed');
    }
    if (answer.status < 200 || answer.status > 299) throw new RestError(502, 'http_client_error');
    return { status: answer.status, text: answer.body.toString('utf8') };
  }
}
