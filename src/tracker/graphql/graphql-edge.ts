import { HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RETRY_AFTER_SECONDS } from '../../kernel/http/error.filter.js';
import type { HttpEdge } from '../../kernel/http/edges.js';
import { badRequest, unavailable } from '../values/errors.js';
import type { GraphqlEndpoint } from './graphql-endpoint.js';

/**
 * Both addresses of the endpoint: tool servers are configured with the `/api` base
 * (docs/reference/tracker.md#transport).
 */
export const GRAPHQL_PATHS = ['/graphql', '/api/graphql'];

/** Largest body, in bytes. */
export const GRAPHQL_BODY_LIMIT = 1_048_576;

/** Owns the endpoint's paths: bodies arrive raw, and failures outside the route are worded like all other errors. */
export class GraphqlEdge implements HttpEdge {
  readonly rawBody = true;

  constructor(private readonly endpoint: GraphqlEndpoint) {}

  owns(path: string): boolean {
    return GRAPHQL_PATHS.includes(path);
  }

  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    this.endpoint.refuse(request, reply, asRefusal(error));
  }
}

function asRefusal(error: unknown): unknown {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return badRequest(413);
  if (error instanceof HttpException && error.getStatus() === 503) return unavailable(RETRY_AFTER_SECONDS);
  // only POST has a route
  if (error instanceof HttpException && error.getStatus() === 404) return badRequest(405);
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) return badRequest();
  return error;
}
