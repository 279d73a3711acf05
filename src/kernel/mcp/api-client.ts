import type { FastifyInstance } from 'fastify';
import { Refusal } from './refusal.js';

/** The HTTP API as a tool server uses it, over the network or within the process. */
export interface ApiClient {
  /**
   * `path` is below the base: `/chat.postMessage`.
   * @throws Refusal when the API does not answer
   */
  post(path: string, headers: Record<string, string>, body: unknown): Promise<ApiAnswer>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** `name` in lower case. */
  header(name: string): string | undefined;
}

/** How long an answer may take, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** The longest wait after a rate limit, in seconds; beyond it the call fails. */
export const MAX_RETRY_AFTER_SECONDS = 5;

/** Calls the API over HTTP. `base` ends in `/api`; a final slash does not matter. */
export class FetchApiClient implements ApiClient {
  private readonly base: string;

  constructor(base: string) {
    this.base = base.replace(/\/+$/, '');
  }

  async post(path: string, headers: Record<string, string>, body: unknown): Promise<ApiAnswer> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${this.base}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      text = await response.text();
    } catch (error) {
      throw new Refusal(
        'api_unreachable',
        `api_unreachable: no answer from ${this.base} (${reasonOf(error)}). Is the server running, and SVC_API_URL right?`,
      );
    }
    return answerOf(response.status, text, (name) => response.headers.get(name) ?? undefined, this.base);
  }
}

/** Calls the API of this process, through all of its routes and checks but without a connection. */
export class InProcessApiClient implements ApiClient {
  /** @param more headers of each call */
  constructor(
    private readonly fastify: FastifyInstance,
    private readonly more: Readonly<Record<string, string>> = {},
  ) {}

  async post(path: string, headers: Record<string, string>, body: unknown): Promise<ApiAnswer> {
    const response = await this.fastify
      .inject({
        method: 'POST',
        url: `/api${path}`,
        headers: { ...headers, ...this.more, 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      })
      // as a fault of a sandbox does
      .catch((error: unknown) => {
        throw new Refusal('api_unreachable', `api_unreachable: the API closed the connection (${reasonOf(error)}).`);
      });
    const header = (name: string): string | undefined => response.headers[name]?.toString();
    return answerOf(response.statusCode, response.payload, header, 'the API');
  }
}

function answerOf(status: number, text: string, header: ApiAnswer['header'], base: string): ApiAnswer {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    return { status, header, body: body as Record<string, unknown> };
  }
  throw new Refusal(
    'not_the_api',
    `not_the_api: ${base} answered HTTP ${status} and no JSON. SVC_API_URL is the base of the API and ends in /api.`,
  );
}

function reasonOf(error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return `none within ${TIMEOUT_MS / 1000} s`;
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}

/**
 * Waits as the API asks and retries once if the delay is short: only for a rate limit, which refuses before it acts.
 */
export class RetryingApiClient implements ApiClient {
  constructor(
    private readonly client: ApiClient,
    private readonly wait: (seconds: number) => Promise<void> = (seconds) =>
      new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
  ) {}

  async post(path: string, headers: Record<string, string>, body: unknown): Promise<ApiAnswer> {
    const answer = await this.client.post(path, headers, body);
    const seconds = rateLimitedFor(answer);
    if (seconds === undefined || seconds > MAX_RETRY_AFTER_SECONDS) return answer;
    await this.wait(seconds);
    return this.client.post(path, headers, body);
  }
}

/** The delay in seconds when the answer is a rate limit; an overloaded server (503) may have begun to act. */
export function rateLimitedFor(answer: ApiAnswer): number | undefined {
  const header = answer.header('retry-after');
  if (header === undefined || answer.status === 503 || !/^\d+$/.test(header)) return undefined;
  return Number(header);
}
