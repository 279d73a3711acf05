import { HttpException } from '@nestjs/common';
import { ThrottlerException } from '@nestjs/throttler';
import { errorCodes, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Settings } from '../../kernel/config/settings.js';
import { isStoreTimeout, isStoreUnavailable } from '../../kernel/database/unavailable.js';
import { bearer } from '../../kernel/http/bearer.js';
import { callOf, type Calls } from '../../kernel/http/calls.js';
import { pathOf, type HttpEdge } from '../../kernel/http/edges.js';
import { RETRY_AFTER_SECONDS } from '../../kernel/http/error.filter.js';
import type { HeaderCredentials } from '../../kernel/http/header-credentials.js';
import { RestError, restErrorBody } from '../../kernel/http/http-error.js';
import { callOutcome } from '../../kernel/http/pressure.js';
import type { Log } from '../../kernel/log/log.js';
import { MessagingError } from '../wire/codes.js';
import type { RpcRequest } from './rpc-call.js';
import { tokenAtStart } from './args/token-at-start.js';
import type { Credentials } from './credentials.js';
import { callBy } from './journal.js';
import { MethodRegistry } from './method-registry.js';
import { MissingMethods } from './missing-methods.js';

/** A path directly under /api that is a method call (docs/reference/chat.md#routing). */
const METHOD_PATH = /^\/api\/([A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z0-9]+)+)$/;

/** Headers of every answer of a method (docs/reference/chat.md#envelope). */
export function rpcHeaders(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers({
    'Content-Type': 'application/json; charset=utf-8',
    'X-Slack-Req-Id': request.id,
    'Cache-Control': 'private, no-cache, no-store, must-revalidate',
  });
}

/** What the edge is made of. */
interface RpcEdgeParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly methods: MethodRegistry;
  readonly known: HeaderCredentials;
  readonly credentials: Credentials;
  readonly calls: Calls;
}

/** Answers what a method call throws, and calls that reach no method. */
export class RpcEdge implements HttpEdge {
  readonly rawBody = true;
  /** Nest's `All` would make a route for each verb that Fastify knows, which takes 3 MB. */
  readonly verbs = ['GET', 'POST'];
  private readonly settings: Settings;
  private readonly log: Log;
  private readonly methods: MethodRegistry;
  private readonly known: HeaderCredentials;
  private readonly missing: MissingMethods;
  private readonly credentials: Credentials;
  private readonly calls: Calls;

  constructor({ settings, log, methods, known, credentials, calls }: RpcEdgeParts) {
    this.settings = settings;
    this.log = log;
    this.methods = methods;
    this.known = known;
    this.credentials = credentials;
    this.calls = calls;
    this.missing = new MissingMethods(log, settings.methods);
  }

  owns(path: string): boolean {
    return METHOD_PATH.test(path);
  }

  /** Without a token in the header it may be an argument; some methods need none, whatever stands in the header. */
  takesStrangers({ headers, url }: FastifyRequest): boolean {
    return bearer(headers.authorization) === undefined || this.methods.needsNoToken(METHOD_PATH.exec(pathOf(url))?.[1]);
  }

  /** A token in the query, or one of the first arguments of a form. */
  async requireCredential(request: FastifyRequest, start: Buffer): Promise<void> {
    const token = tokenAtStart(request, start);
    const isKnown = token !== undefined && (await this.known.areGood({ authorization: `Bearer ${token}` }));
    if (!isKnown) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
  }

  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    if (reply.sent) return;
    const { code, statusCode } = error as { code?: string; statusCode?: number };
    if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
      void reply.code(413).send(restErrorBody(413, 'payload_too_large'));
      return;
    }
    if (error instanceof HttpException && error.getStatus() === 404) {
      if (request.method !== 'POST' && request.method !== 'GET') {
        void reply.code(404).send(restErrorBody(404, 'not_found'));
        return;
      }
      return this.unknown(request, reply, false);
    }
    if (error instanceof RestError && error.getStatus() === 503) {
      const { retryAfterSeconds: retryAfter = RETRY_AFTER_SECONDS } = error;
      return this.answer(request, reply, new MessagingError('service_unavailable', { retryAfter }));
    }
    if (error instanceof MessagingError && error.code === 'unknown_method') return this.unknown(request, reply, true);
    if (error instanceof MessagingError) return this.answer(request, reply, error);
    if (error instanceof ThrottlerException) return this.answer(request, reply, new MessagingError('ratelimited'));
    if (isStoreTimeout(error)) return this.answer(request, reply, new MessagingError('request_timeout'));
    if (isStoreUnavailable(error)) {
      return this.answer(
        request,
        reply,
        new MessagingError('service_unavailable', { retryAfter: RETRY_AFTER_SECONDS }),
      );
    }
    if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
      // Fastify could not make sense of the content type or length
      return this.answer(
        request,
        reply,
        new MessagingError(statusCode === 415 ? 'invalid_post_type' : 'invalid_form_data'),
      );
    }
    this.log.error('method failed', { error, requestId: request.id, path: pathOf(request.url) });
    this.answer(request, reply, new MessagingError('internal_error'));
  }

  private unknown(request: FastifyRequest, reply: FastifyReply, isBeyondCore: boolean): void {
    const name = METHOD_PATH.exec(pathOf(request.url))?.[1] ?? '';
    this.missing.report(name.slice(0, 100), isBeyondCore);
    const error = new MessagingError('unknown_method', { extra: { req_method: name } });
    this.answer(request, reply, error);
    if (!callOf(request)) void this.noteUnknown(request, reply, name, JSON.stringify(error.body()));
  }

  /** A call with a working token stands on the timeline of its sandbox; its answer has not waited for that. */
  private async noteUnknown(request: FastifyRequest, reply: FastifyReply, name: string, answer: string): Promise<void> {
    const { headers, body } = request;
    const token = bearer(headers.authorization) ?? (Buffer.isBuffer(body) ? tokenAtStart(request, body) : undefined);
    if (token === undefined) return;
    try {
      const { identity } = await this.credentials.identify(token, {});
      this.calls.noteAnswered(request, reply, callBy(identity, { method: name, args: {}, isRead: false }), answer);
    } catch (error) {
      if (!(error instanceof MessagingError))
        this.log.debug(`an unknown method is not recorded: ${(error as Error).message}`);
    }
  }

  /** The caller's sandbox may have its own. */
  private missingScopeStatus(request: RpcRequest): number {
    return request.rpc?.caller?.sandbox.missingScopeStatus ?? this.settings.missingScopeStatus;
  }

  private answer(request: FastifyRequest, reply: FastifyReply, error: MessagingError): void {
    rpcHeaders(request, reply);
    callOutcome(request).outcome = error.code;
    if (error.retryAfter !== undefined) void reply.header('Retry-After', String(error.retryAfter));
    const status = error.code === 'missing_scope' ? this.missingScopeStatus(request) : error.status;
    void reply.code(status).send(JSON.stringify(error.body()));
  }
}
