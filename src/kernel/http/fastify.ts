import { readFileSync } from 'node:fs';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { asRequest } from '../clock/request-sandbox.js';
import type { Settings } from '../config/settings.js';
import { HEAD_MS } from './arrival-checks.js';
import type { HttpEdges } from './edges.js';
import { restErrorBody } from './http-error.js';
import { isOwnCall, requestIdOf } from './own-calls.js';
import { BODY_LIMIT } from './parse-body.js';
import { tidyUrl } from './tidy-url.js';

/** The time limit for request headers, so that incomplete ones are noticed soon. */
const HEADS = { headersTimeout: HEAD_MS, connectionsCheckingInterval: 1_000 };

/** Fastify as this server needs it; `readBodies` adds how bodies are read. */
export function createAdapter(settings: Settings, edges: HttpEdges): FastifyAdapter {
  const options = {
    bodyLimit: BODY_LIMIT,
    // request ids are hex and never a UUID (docs/reference/chat.md#envelope, #clients)
    genReqId: requestIdOf,
    logger: false,
    rewriteUrl: (request: IncomingMessage) => tidyUrl(request.url ?? '/'),
    // longer than any path parameter of a route
    frameworkErrors: (_error: Error, _request: unknown, reply: FastifyReply) =>
      void reply.code(404).send(restErrorBody(404, 'not_found')),
    keepAliveTimeout: 72_000,
    // arrival-checks.ts limits bodies; this is the last resort
    requestTimeout: 180_000,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 500 },
    ...(settings.tlsCertFile !== undefined && settings.tlsKeyFile !== undefined
      ? { https: { cert: readFileSync(settings.tlsCertFile), key: readFileSync(settings.tlsKeyFile), ...HEADS } }
      : { http: HEADS }),
  };
  const adapter = new FastifyAdapter(options as ConstructorParameters<typeof FastifyAdapter>[0]) as FastifyAdapter;
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  // after the body was read, as its events would lose the async context
  fastify.addHook('preValidation', ({ raw }, _reply, done) => asRequest(done, isOwnCall(raw)));
  fastify.addHook('onRoute', (route) => {
    const limit = route.method === 'POST' ? edges.documentLimit(route.url) : undefined;
    if (limit !== undefined) route.bodyLimit = limit;
    const verbs = edges.of(route.url, 'POST')?.verbs;
    if (verbs !== undefined) route.method = [...verbs];
  });
  return adapter;
}
