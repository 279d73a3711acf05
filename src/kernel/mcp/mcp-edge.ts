import { HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isStoreUnavailable, waitAfter } from '../database/unavailable.js';
import type { HttpEdge } from '../http/edges.js';
import { RETRY_AFTER_SECONDS } from '../http/error.filter.js';
import type { Log } from '../log/log.js';

/** An error of the transport itself, in JSON-RPC format. */
export function refuseMcp(reply: FastifyReply, status: number, code: number, message: string): void {
  void reply.code(status).send({ jsonrpc: '2.0', error: { code, message }, id: null });
}

/**
 * The route of a tool server: messages arrive raw, and only POST is supported, as there is no stream and no session.
 */
export class McpEdge implements HttpEdge {
  readonly rawBody = true;

  constructor(
    private readonly path: string | RegExp,
    private readonly log: Log,
  ) {}

  owns(path: string): boolean {
    return typeof this.path === 'string' ? path === this.path : this.path.test(path);
  }

  /** A client says hello before it shows a credential. */
  takesStrangers(): boolean {
    return true;
  }

  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    if (reply.sent) return;
    const { code, statusCode } = error as { code?: string; statusCode?: number };
    if (error instanceof HttpException && error.getStatus() === 404) {
      void reply.header('Allow', 'POST');
      refuseMcp(reply, 405, -32000, 'Method not allowed: this tool server answers POST only');
    } else if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
      refuseMcp(reply, 413, -32000, 'The message is too large');
    } else if (isStoreUnavailable(error)) {
      void reply.header('Retry-After', String(waitAfter(error) ?? RETRY_AFTER_SECONDS));
      refuseMcp(reply, 503, -32000, 'The service is not available at the moment');
    } else if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
      refuseMcp(reply, statusCode, -32000, 'The request cannot be read');
    } else {
      this.log.error('tool server failed', { error, requestId: request.id });
      refuseMcp(reply, 500, -32603, 'Internal error');
    }
  }
}
