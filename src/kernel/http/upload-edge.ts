import { NotFoundException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isStoreUnavailable } from '../database/unavailable.js';
import type { Log } from '../log/log.js';
import type { HttpEdge } from './edges.js';
import { RETRY_AFTER_SECONDS } from './error.filter.js';
import { RestError, restErrorBody } from './http-error.js';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Uploads and downloads of files: any body, refusals as REST. */
export class UploadEdge implements HttpEdge {
  readonly rawBody = true;

  /**
   * @param paths those of uploads and downloads
   * @param requireSlot throws where the URL of an upload is not good
   */
  constructor(
    private readonly paths: RegExp,
    private readonly requireSlot: (secret: string) => Promise<unknown>,
    private readonly log: Log,
  ) {}

  owns(path: string): boolean {
    return this.paths.test(path);
  }

  takesStrangers(): boolean {
    return true;
  }

  /** The credential is in the path. */
  async requireCredential({ params }: FastifyRequest): Promise<void> {
    await this.requireSlot((params as { secret?: string }).secret ?? '');
  }

  /** A route of the edge, whose failures are answered as its refusals. */
  guarded(handler: Handler): Handler {
    return async (request, reply) => {
      try {
        return await handler(request, reply);
      } catch (error) {
        this.refuse(request, reply, error);
        return reply;
      }
    };
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
