import type { FastifyReply, FastifyRequest } from 'fastify';
import { isStoreTimeout, isStoreUnavailable } from '../../kernel/database/unavailable.js';
import { pathOf, type HttpEdge } from '../../kernel/http/edges.js';
import { RETRY_AFTER_SECONDS } from '../../kernel/http/error.filter.js';
import { restErrorBody } from '../../kernel/http/http-error.js';
import type { Log } from '../../kernel/log/log.js';
import { ResponseUrls } from '../surfaces/response-urls.js';
import { ResponseRefusal } from './responses.service.js';

const PATH = /^\/api\/interactions\/respond\/([^/]+)$/;

/**
 * response_url: any body, and refusals in the reference service's shape
 * (docs/reference/control-plane.md#slash-commands).
 */
export class ResponseEdge implements HttpEdge {
  readonly rawBody = true;

  constructor(
    private readonly urls: ResponseUrls,
    private readonly log: Log,
  ) {}

  owns(path: string, method: string): boolean {
    return method === 'POST' && PATH.test(path);
  }

  takesStrangers(): boolean {
    return true;
  }

  /** The credential is in the path. */
  async requireCredential({ url }: FastifyRequest): Promise<void> {
    const state = await this.urls.state(PATH.exec(pathOf(url))?.[1] ?? '');
    if (state !== 'good') throw new ResponseRefusal(404, state);
  }

  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    if (reply.sent) return;
    const { code, statusCode } = error as { code?: string; statusCode?: number };
    const answer = (status: number, error: string): void => void reply.code(status).send({ ok: false, error });
    if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') void reply.code(413).send(restErrorBody(413, 'payload_too_large'));
    else if (error instanceof ResponseRefusal) answer(error.status, error.code);
    else if (isStoreTimeout(error)) answer(503, 'request_timeout');
    else if (isStoreUnavailable(error)) {
      void reply.header('Retry-After', String(RETRY_AFTER_SECONDS));
      answer(503, 'service_unavailable');
    } else if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) answer(400, 'invalid_payload');
    else {
      // the path holds the URL's secret
      this.log.error('a response URL failed', { error, requestId: request.id });
      answer(500, 'internal_error');
    }
  }
}
