import type { FastifyReply, FastifyRequest } from 'fastify';
import { isStoreTimeout, isStoreUnavailable, waitAfter } from '../../kernel/database/unavailable.js';
import { pathOf, type HttpEdge } from '../../kernel/http/edges.js';
import { RETRY_AFTER_SECONDS } from '../../kernel/http/error.filter.js';
import { restErrorBody } from '../../kernel/http/http-error.js';
import type { Log } from '../../kernel/log/log.js';
import { HookSecrets } from '../installing/hook-secrets.js';
import { HookRefusal } from './incoming-post.service.js';

const POSTED = /^\/api\/webhooks\/incoming\/([^/]+)(?:\/([^/]+))?$/;

/**
 * Posting to an incoming webhook: bodies of any kind, answers in plain text
 * (docs/reference/control-plane.md#incoming-webhooks).
 */
export class HookEdge implements HttpEdge {
  readonly rawBody = true;

  constructor(
    private readonly secrets: HookSecrets,
    private readonly log: Log,
  ) {}

  owns(path: string, method: string): boolean {
    return method === 'POST' && POSTED.test(path);
  }

  takesStrangers(): boolean {
    return true;
  }

  /** The credential is in the path. */
  async requireCredential({ url }: FastifyRequest): Promise<void> {
    const [, id = '', secret = ''] = POSTED.exec(pathOf(url)) ?? [];
    if (this.secrets.opened(id, secret) === undefined) throw new HookRefusal(404, 'no_service');
  }

  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    if (reply.sent) return;
    const { code, statusCode } = error as { code?: string; statusCode?: number };
    if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
      void reply.code(413).send(restErrorBody(413, 'payload_too_large'));
    } else if (error instanceof HookRefusal) {
      if (error.retryAfterSeconds !== undefined) void reply.header('Retry-After', String(error.retryAfterSeconds));
      plain(reply, error.status, error.code);
    } else if (isStoreTimeout(error)) {
      plain(reply, 503, 'request_timeout');
    } else if (isStoreUnavailable(error)) {
      void reply.header('Retry-After', String(waitAfter(error) ?? RETRY_AFTER_SECONDS));
      plain(reply, 503, 'service_unavailable');
    } else if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
      plain(reply, 400, 'invalid_payload');
    } else {
      // the path holds the hook's secret
      this.log.error('posting to a webhook failed', {
        error,
        requestId: request.id,
        route: pathOf(request.url).slice(0, 23),
      });
      plain(reply, 500, 'internal_error');
    }
  }
}

export const plain = (reply: FastifyReply, status: number, text: string): void =>
  void reply.code(status).header('Content-Type', 'text/plain; charset=utf-8').send(text);
