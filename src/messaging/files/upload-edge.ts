import { NotFoundException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isStoreUnavailable } from '../../kernel/database/unavailable.js';
import type { HttpEdge } from '../../kernel/http/edges.js';
import { RETRY_AFTER_SECONDS } from '../../kernel/http/error.filter.js';
import { RestError, restErrorBody } from '../../kernel/http/http-error.js';
import type { Log } from '../../kernel/log/log.js';

const PATH = /^\/(?:upload\/v1|files-pri|files-tmb|files-public)\//;

/** Uploads and downloads of files: any body, refusals as REST. */
export class UploadEdge implements HttpEdge {
  readonly rawBody = true;

  /** @param requireSlot throws where the URL of an upload is not good */
  constructor(
    private readonly requireSlot: (secret: string) => Promise<unknown>,
    private readonly log: Log,
  ) {}

  owns(path: string): boolean {
    return PATH.test(path);
  }

  takesStrangers(): boolean {
    return true;
  }

  /** The credential is in the path. */
  async requireCredential({ params }: FastifyRequest): Promise<void> {
    await this.requireSlot((params as { secret?: string }).secret ?? '');
  }

  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    if (reply.sent) return;
    const { code, statusCode } = error as { code?: string; statusCode?: number };
    const answer = (status: number, message: string): void =>
      void reply.code(status).send(restErrorBody(status, message));
    if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') answer(413, 'payload_too_large');
    else if (error instanceof RestError) {
      if (error.retryAfterSeconds !== undefined) void reply.header('Retry-After', String(error.retryAfterSeconds));
      answer(error.getStatus(), error.code);
    } else if (error instanceof NotFoundException) answer(404, 'not_found');
    else if (isStoreUnavailable(error)) {
      void reply.header('Retry-After', String(RETRY_AFTER_SECONDS));
      answer(503, 'service_unavailable');
    } else if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
      answer(statusCode, 'bad_request');
    else {
      // the path of an upload holds its secret
      this.log.error('a file could not be moved', { error, requestId: request.id });
      answer(500, 'internal_error');
    }
  }
}
