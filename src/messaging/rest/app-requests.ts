import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { ownIds, seenId } from '../../kernel/clock/request-sandbox.js';
import { Db } from '../../kernel/database/db.js';
import { outside } from '../../kernel/http/call-context.js';
import { eachText } from '../../kernel/ids/id-space.js';
import { GuardedHttp, type PostAnswer } from '../../webhooks/guarded-http.js';
import { slackSignature, svcSignature } from '../../webhooks/signing.js';
import { AppFailure } from './app-failure.js';
import { SIGNS_BY_SANDBOX } from './app-requests.queries.js';

/**
 * How long an app has to answer, in milliseconds (docs/reference/events.md#handshake, #delivery,
 * docs/reference/control-plane.md#slash-commands).
 */
export const APP_TIMEOUT_MS = 3_000;
/** Largest answer of an app that is read, in bytes. */
const MAX_ANSWER = 256 * 1024;

/** Headers of every request to an app (docs/reference/events.md#signing): stamped and signed over these exact bytes. */
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

/** Where an app receives requests, and the secret that signs them. */
export interface AppAddress {
  readonly url: string;
  readonly secret: string;
  readonly workspaceId: string;
  /** The signed timestamp is this many seconds in the past. */
  readonly staleSeconds?: number;
  /** Called with the request and the response, whatever its outcome. */
  readonly onSent?: (sent: Exchange) => void;
}

/** A request to an app and its answer. */
export interface Exchange {
  readonly request: { readonly url: string; readonly headers: Record<string, string>; readonly body: string };
  readonly answer: PostAnswer;
}

/** What an app answered with a 2xx. */
export interface AppAnswer {
  readonly status: number;
  readonly text: string;
}

/** Requests whose response is awaited: commands, clicks, handshakes. Sent once, within 3 s. */
@Injectable()
export class AppRequests {
  constructor(
    private readonly http: GuardedHttp,
    private readonly clock: Clock,
    private readonly db: Db,
  ) {}

  /** @throws AppFailure operation_timeout, http_client_error, connection_failed */
  async form(to: AppAddress, fields: Readonly<Record<string, string>>): Promise<AppAnswer> {
    const ids = ownIds();
    const seen = ids ? eachText(fields, (text) => ids.outside(text)) : fields;
    const answer = await this.post(to, 'application/x-www-form-urlencoded', new URLSearchParams(seen).toString());
    return ids ? { ...answer, text: ids.inside(answer.text) } : answer;
  }

  /** @throws AppFailure as `form` */
  async json(to: AppAddress, value: object): Promise<AppAnswer> {
    return this.post(to, 'application/json', JSON.stringify(value));
  }

  private async post(
    { url: stored, secret, workspaceId, staleSeconds = 0, onSent }: AppAddress,
    contentType: 'application/json' | 'application/x-www-form-urlencoded',
    body: string,
  ): Promise<AppAnswer> {
    // as it was given: it may hold what looks like an id
    const url = seenId(stored);
    const nowMs = (await this.signsBySandbox(workspaceId)) ? this.clock.nowMs() : this.clock.wallMs();
    const headers = signedHeaders(contentType, secret, body, Math.floor(nowMs / 1000) - staleSeconds);
    const limits = { timeoutMs: APP_TIMEOUT_MS, maxResponseBytes: MAX_ANSWER };
    const answer = await outside(() => this.http.post({ url, from: { workspaceId }, headers, body, ...limits }));
    onSent?.({ request: { url: stored, headers, body }, answer });
    if (!answer.answered) {
      throw new AppFailure(answer.reason === 'http_timeout' ? 'operation_timeout' : 'connection_failed', 'http');
    }
    if (answer.status < 200 || answer.status > 299) throw new AppFailure('http_client_error', 'http', answer.status);
    return { status: answer.status, text: answer.body.toString('utf8') };
  }

  /** Asked only where the two times differ. */
  private async signsBySandbox(workspaceId: string): Promise<boolean> {
    return this.clock.shiftMicros !== null && (await this.db.read(SIGNS_BY_SANDBOX, [workspaceId])).length > 0;
  }
}
