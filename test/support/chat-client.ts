import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { TestApp } from './app.js';
import { checkPayload } from './payload-checks.js';

/** An answer of a method, with HTTP status and headers. */
export interface WireAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

type Body = Record<string, unknown>;

/** A credential that calls methods, directly over HTTP or through the official client. */
export class ChatClient {
  readonly userId: string;
  readonly appId: string | undefined;
  readonly botId: string | undefined;

  constructor(
    readonly app: TestApp,
    readonly token: string,
    identity: { userId: string; appId?: string; botId?: string },
  ) {
    this.userId = identity.userId;
    this.appId = identity.appId;
    this.botId = identity.botId;
  }

  /** Calls a method with JSON and answers its body. Every answer goes through the payload checks. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- specs read fields of answers freely
  async call(method: string, args: Body = {}): Promise<any> {
    return (await this.wire(method, args)).body;
  }

  /** The same, with status and headers. */
  async wire(method: string, args: Body = {}, headers: Record<string, string> = {}): Promise<WireAnswer> {
    const response = await fetch(`${this.app.baseUrl}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(args),
    });
    const text = await response.text();
    const body = JSON.parse(text) as Body;
    checkPayload(method, body, text);
    return { status: response.status, headers: response.headers, body };
  }

  /** The official client without retries, so that an error is reported at once. */
  webClient(options: WebClientOptions = {}): WebClient {
    return new WebClient(this.token, {
      slackApiUrl: `${this.app.baseUrl}/api/`,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      ...options,
    });
  }
}
