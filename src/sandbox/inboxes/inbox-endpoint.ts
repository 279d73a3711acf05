import { Injectable, NotFoundException, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isStoreUnavailable } from '../../kernel/database/unavailable.js';
import { HttpEdges, type HttpEdge } from '../../kernel/http/edges.js';
import { RETRY_AFTER_SECONDS } from '../../kernel/http/error.filter.js';
import { RestError, restErrorBody } from '../../kernel/http/http-error.js';
import { Log } from '../../kernel/log/log.js';
import { Inboxes } from './inboxes.service.js';

const PATH = /^\/in\//;

/** `/in/<secret>`: any method, any body, errors as REST. */
@Injectable()
export class InboxEndpoint implements HttpEdge, OnModuleInit {
  readonly rawBody = true;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly inboxes: Inboxes,
    private readonly log: Log,
    edges: HttpEdges,
  ) {
    edges.add(this);
  }

  owns(path: string): boolean {
    return PATH.test(path);
  }

  takesStrangers(): boolean {
    return true;
  }

  /** The credential is in the path. */
  async requireCredential({ params }: FastifyRequest): Promise<void> {
    await this.inboxes.require((params as { secret: string }).secret);
  }

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance() as unknown as FastifyInstance;
    fastify.all('/in/:secret', { exposeHeadRoute: false }, async (request, reply) => {
      try {
        await this.take(request, reply);
      } catch (error) {
        this.refuse(request, reply, error);
      }
      return reply;
    });
  }

  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    if (reply.sent) return;
    const { code, statusCode } = error as { code?: string; statusCode?: number };
    const answer = (status: number, message: string, retryAfter?: number): void => {
      if (retryAfter !== undefined) void reply.header('Retry-After', String(retryAfter));
      void reply.code(status).send(restErrorBody(status, message));
    };
    if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') answer(413, 'payload_too_large');
    else if (error instanceof RestError) answer(error.getStatus(), error.code, error.retryAfterSeconds);
    else if (error instanceof NotFoundException) answer(404, 'inbox_not_found');
    else if (isStoreUnavailable(error)) answer(503, 'service_unavailable', RETRY_AFTER_SECONDS);
    else if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) answer(statusCode, 'bad_request');
    else {
      // the path holds the secret
      this.log.error('an inbox could not take a request', { error, requestId: request.id });
      answer(500, 'internal_error');
    }
  }

  private async take(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { secret } = request.params as { secret: string };
    const at = request.url.indexOf('?');
    const { status, headers, body } = await this.inboxes.take(secret, {
      method: request.method,
      query: at === -1 ? '' : request.url.slice(at + 1),
      headers: request.headers,
      body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    });
    void reply
      .code(status)
      .headers(headers ?? {})
      .send(body);
  }
}
