import { Catch, HttpException, Injectable, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isStoreTimeout, isStoreUnavailable } from '../database/unavailable.js';
import { Log, redacted } from '../log/log.js';
import { AlreadyAnswered } from './calls.js';
import { HttpEdges, pathOf } from './edges.js';
import { RestError, restErrorBody } from './http-error.js';

/** The Retry-After of an unavailable store, in seconds. */
export const RETRY_AFTER_SECONDS = 2;

/** Handles every error of a route: passed to the edge that owns the path, otherwise answered as REST. */
@Injectable()
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly edges: HttpEdges,
    private readonly log: Log,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    // an error of a resolver: the GraphQL edge formats it
    if (host.getType() !== 'http') throw thrown;
    if (thrown instanceof AlreadyAnswered) return;
    const error = fastifyError(thrown) ?? thrown;
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const edge = this.edges.of(pathOf(request.url), request.method);
    if (edge) edge.refuse(request, reply, error);
    else this.answerRest(request, reply, error);
  }

  private answerRest(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    if (reply.sent) return;
    const { status, message } = this.describe(request, error);
    const wait =
      error instanceof RestError ? error.retryAfterSeconds : status === 503 ? RETRY_AFTER_SECONDS : undefined;
    if (wait !== undefined) void reply.header('Retry-After', String(wait));
    void reply.code(status).send(restErrorBody(status, message, error instanceof RestError ? error.path : undefined));
  }

  private describe(request: FastifyRequest, error: unknown): { status: number; message: string | string[] } {
    if (error instanceof RestError) return { status: error.getStatus(), message: error.code };
    if (error instanceof HttpException) {
      const body = error.getResponse();
      const message = typeof body === 'object' ? (body as { message?: string | string[] }).message : undefined;
      if (error.getStatus() === 404 && typeof message === 'string') return { status: 404, message: 'not_found' };
      return { status: error.getStatus(), message: message ?? error.message };
    }
    const { code, statusCode } = error as { code?: string; statusCode?: number };
    if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return { status: 413, message: 'payload_too_large' };
    if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
      return { status: statusCode === 415 ? 400 : statusCode, message: 'invalid_json' };
    }
    if (isStoreTimeout(error)) return { status: 503, message: 'request_timeout' };
    if (isStoreUnavailable(error)) return { status: 503, message: 'service_unavailable' };
    this.log.error('request failed', {
      error,
      requestId: request.id,
      method: request.method,
      path: redacted(pathOf(request.url)),
    });
    return { status: 500, message: 'internal_error' };
  }
}

/** Nest wraps errors of Fastify itself (such as a body over the limit); the code with the cause is inside. */
function fastifyError(error: unknown): Error | undefined {
  if (!(error instanceof HttpException) || !(error.cause instanceof Error)) return undefined;
  return String((error.cause as { code?: unknown }).code).startsWith('FST_') ? error.cause : undefined;
}
