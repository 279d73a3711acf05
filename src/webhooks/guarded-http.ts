import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Optional, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher } from 'undici';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { isRefusedAddress, TargetPolicy } from './guarded-targets.js';
import { GuardedLookup } from './guarded-lookup.js';
import { NameResolver } from './name-resolver.js';

/** Why an attempt failed, as in `X-Slack-Retry-Reason` (docs/reference/events.md#delivery). */
export type FailureReason =
  'http_timeout' | 'too_many_redirects' | 'connection_failed' | 'ssl_error' | 'http_error' | 'unknown_error';

/** The sender: what goes to an inbox of the same sandbox stays inside the server. */
export type Sender = { readonly tenantId: number } | { readonly workspaceId: string };

/** A request that is handled inside the server. */
export interface InternalRequest {
  readonly from: Sender;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Handles requests to this server itself; null: it is sent over the network. */
export type InternalHandler = (
  url: URL,
  request: InternalRequest,
) => Promise<{ status: number; headers?: Readonly<Record<string, string>>; body: string } | null>;

export interface PostRequest {
  /** Default `POST`. A `GET` has no body. */
  readonly method?: 'GET';
  readonly from?: Sender;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** For everything together: DNS, connection, redirects, and the body if it is wanted. */
  readonly timeoutMs: number;
  /** How many 3xx responses are followed, each by the same POST. Default 0: a 3xx is a response like any other. */
  readonly maxRedirects?: number;
  /** Bytes of the body to read. Default 0: the response is complete with its headers and the body is discarded. */
  readonly maxResponseBytes?: number;
  /** If the body is not needed: this much of it is returned all the same, as far as it arrived in time. */
  readonly peekBytes?: number;
}

export type PostAnswer =
  | { readonly answered: true; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  | {
      readonly answered: false;
      readonly reason: FailureReason;
      readonly message: string;
      /** DNS or the connection took too long. */
      readonly isLate?: boolean;
    };

/** A body that is not needed is read up to this length, so that its connection can be reused. */
const DISCARDED_BYTES = 64 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const failure = (reason: FailureReason, message: string): PostAnswer & { answered: false } => ({
  answered: false,
  reason,
  message,
});

/** The result of one hop: a response, or an error. */
type Hop = { status: number; headers: IncomingHttpHeaders; body: Buffer } | PostAnswer;

/**
 * Requests to URLs of apps and people: limited in time and size, only to what `SVC_TARGETS` allows, never to link-local or
 * metadata addresses unless `SVC_ALLOW_LINK_LOCAL`, never redirected to another scheme. Does not throw.
 */
@Injectable()
export class GuardedHttp implements OnApplicationShutdown {
  private readonly names: GuardedLookup;
  private readonly agent: Agent;
  private readonly allowLinkLocal: boolean;
  private inside: InternalHandler | undefined;

  constructor(
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'allowLinkLocal'> & Partial<Pick<Settings, 'targets'>>,
    @Optional() resolver?: NameResolver,
  ) {
    this.allowLinkLocal = settings.allowLinkLocal;
    const policy = new TargetPolicy(settings.targets ?? 'any', settings.allowLinkLocal);
    this.names = new GuardedLookup(policy, resolver);
    this.agent = new Agent({
      connect: { lookup: this.names.lookup, timeout: 10_000 },
      // our own timer covers the whole exchange
      headersTimeout: 0,
      bodyTimeout: 0,
      // short, because a server may close an idle connection just when the next request is sent on it
      keepAliveTimeout: 1_000,
      keepAliveMaxTimeout: 4_000,
    });
  }

  /** At start-up: registers the handler of requests to this server itself. */
  handleInternally(taker: InternalHandler): void {
    this.inside = taker;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  async post(request: PostRequest): Promise<PostAnswer> {
    const deadline = performance.now() + request.timeoutMs;
    const maxRedirects = request.maxRedirects ?? 0;
    let url: URL;
    try {
      url = new URL(request.url);
    } catch {
      return failure('connection_failed', 'not a URL');
    }
    for (let redirects = 0; ; redirects++) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:')
        return failure('connection_failed', 'not http or https');
      const within = await this.answeredInternally(url, request, deadline - performance.now());
      if (!within && (await this.refuses(url, deadline - performance.now()))) {
        const isNever = !this.allowLinkLocal && isRefusedAddress(url.hostname);
        const what = isNever ? 'a link-local address' : 'an address that SVC_TARGETS leaves out';
        return failure('connection_failed', what);
      }
      const hop = within ?? (await this.hop(url, request, deadline - performance.now()));
      if ('answered' in hop) return hop;
      const location = maxRedirects > 0 && REDIRECTS.has(hop.status) ? hop.headers.location : undefined;
      const next = location !== undefined && URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
      // a 3xx to another scheme is not followed: it is the response
      if (next === undefined || next.protocol !== url.protocol) return { answered: true, ...hop };
      if (redirects === maxRedirects) return failure('too_many_redirects', `more than ${maxRedirects} redirects`);
      url = next;
    }
  }

  /** Null: not for this server itself. */
  private async answeredInternally(url: URL, request: PostRequest, remainingMs: number): Promise<Hop | null> {
    const { from, headers, body, maxResponseBytes = 0, peekBytes = 0 } = request;
    if (!this.inside || !from) return null;
    const late = new AbortController();
    try {
      const answer = await Promise.race([
        this.inside(url, { from, headers, body }),
        sleep(Math.max(0, remainingMs), 'late' as const, { signal: late.signal }),
      ]);
      if (answer === 'late') return failure('http_timeout', 'no answer in time');
      if (!answer) return null;
      const whole = Buffer.from(answer.body);
      if (maxResponseBytes > 0 && whole.length > maxResponseBytes) {
        return failure('unknown_error', `an answer of more than ${maxResponseBytes} bytes`);
      }
      return {
        status: answer.status,
        headers: answer.headers ?? {},
        body: whole.subarray(0, maxResponseBytes || peekBytes),
      };
    } catch (error) {
      return failure('connection_failed', (error as Error).message);
    } finally {
      late.abort();
    }
  }

  /** If a name cannot be resolved in time, the attempt itself fails with the reason. */
  private async refuses(url: URL, remainingMs: number): Promise<boolean> {
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    if (this.names.refuses(url.hostname, port)) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((done) => {
      timer = setTimeout(() => done(false), Math.max(0, remainingMs));
    });
    const refused = this.names.refusesName(url.hostname, port).catch(() => false);
    return Promise.race([refused, late]).finally(() => clearTimeout(timer));
  }

  private hop(url: URL, request: PostRequest, remainingMs: number): Promise<Hop> {
    if (remainingMs <= 0) return Promise.resolve(failure('http_timeout', 'no answer in time'));
    const wanted = request.maxResponseBytes ?? 0;
    const peek = wanted > 0 ? 0 : (request.peekBytes ?? 0);
    return new Promise<Hop>((resolve) => {
      let control: Dispatcher.DispatchController | undefined;
      let over = false;
      let settled = false;
      let status = 0;
      let headers: IncomingHttpHeaders = {};
      const chunks: Buffer[] = [];
      let bytes = 0;
      const settle = (hop: Hop): void => {
        if (settled) return;
        settled = true;
        resolve(hop);
      };
      // before the connection is established onRequestStart aborts
      const end = (): void => {
        over = true;
        clearTimeout(timer);
        control?.abort(new Error('no longer wanted'));
      };
      const peeked = (): Hop => ({ status, headers, body: Buffer.concat(chunks).subarray(0, peek) });
      const timer = setTimeout(() => {
        settle(peek > 0 && status > 0 ? peeked() : failure('http_timeout', 'no answer in time'));
        end();
      }, remainingMs);
      try {
        this.agent.dispatch(
          {
            origin: url.origin,
            path: url.pathname + url.search,
            method: request.method ?? 'POST',
            headers: request.headers,
            ...(request.method === 'GET' ? {} : { body: request.body }),
          },
          {
            onRequestStart: (controller) => {
              control = controller;
              if (over) controller.abort(new Error('no longer wanted'));
            },
            onResponseStart: (_, statusCode, received) => {
              if (statusCode < 200) return;
              status = statusCode;
              headers = received;
              if (wanted + peek === 0) settle({ status, headers, body: Buffer.alloc(0) });
            },
            onResponseData: (_, chunk) => {
              bytes += chunk.length;
              if (wanted > 0 || bytes - chunk.length < peek) chunks.push(chunk);
              if (peek > 0 && bytes >= peek) settle(peeked());
              if (bytes <= (wanted || DISCARDED_BYTES)) return;
              settle(failure('unknown_error', `an answer of more than ${wanted} bytes`));
              end();
            },
            onResponseEnd: () => {
              clearTimeout(timer);
              settle(peek > 0 ? peeked() : { status, headers, body: Buffer.concat(chunks) });
            },
            onResponseError: (_, error) => {
              clearTimeout(timer);
              settle(
                peek > 0 && status > 0
                  ? peeked()
                  : {
                      ...failure(reasonOf(error), error.message),
                      isLate: LATE.has((error as { code?: string }).code ?? ''),
                    },
              );
            },
          },
        );
      } catch (error) {
        // a header or URL that cannot be sent
        clearTimeout(timer);
        settle(failure('unknown_error', (error as Error).message));
      }
    });
  }
}

const LATE = new Set(['ETIMEOUT', 'UND_ERR_CONNECT_TIMEOUT']);
const CONNECTION =
  /^(E(CONN(REFUSED|RESET|ABORTED)|NOTFOUND|AI_\w+|HOSTUNREACH|NETUNREACH|NETDOWN|HOSTDOWN|PIPE|ADDRNOTAVAIL|ACCES|INVAL|TIMEDOUT|TIMEOUT|NODATA|SERVFAIL|REFUSED|FORMERR|NOTIMP|BADRESP|BADNAME)|ADDRESS_REFUSED|UND_ERR_SOCKET|UND_ERR_CONNECT_TIMEOUT)$/;
const TLS =
  /^(ERR_(TLS|SSL)_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH|ERROR_IN_C|EPROTO)/;

/** The code of an error, or of the first of several (one for each address that was tried). */
function reasonOf(error: unknown): FailureReason {
  const { code, errors, cause } = error as { code?: unknown; errors?: unknown[]; cause?: unknown };
  if (typeof code === 'string' && TLS.test(code)) return 'ssl_error';
  if (typeof code === 'string' && CONNECTION.test(code)) return 'connection_failed';
  if (Array.isArray(errors) && errors.length > 0) return reasonOf(errors[0]);
  return cause === undefined || cause === error ? 'unknown_error' : reasonOf(cause);
}
