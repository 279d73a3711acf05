import { readFileSync } from 'node:fs';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Settings } from '../config/settings.js';
import { newRequestId } from '../ids/ids.js';
import { cleanJson } from '../text/clean.js';
import { HttpEdges, pathOf } from './edges.js';
import { RestError, restErrorBody } from './http-error.js';
import { tidyUrl } from './tidy-url.js';

/** Largest body anywhere, in bytes (messaging.md A.2). */
export const BODY_LIMIT = 2 * 1024 * 1024;

/** Fastify with our reading of bodies: an edge may take them raw, all other routes get parsed JSON or form fields. */
export function createAdapter(settings: Settings, edges: HttpEdges): FastifyAdapter {
  const options = {
    bodyLimit: BODY_LIMIT,
    // request ids are hex and never a UUID (messaging.md A.6, G.4)
    genReqId: newRequestId,
    logger: false,
    rewriteUrl: (request: IncomingMessage) => tidyUrl(request.url ?? '/'),
    // a part of the path that is longer than anything here is called
    frameworkErrors: (_error: Error, _request: unknown, reply: FastifyReply) =>
      void reply.code(404).send(restErrorBody(404, 'not_found')),
    keepAliveTimeout: 72_000,
    requestTimeout: 60_000,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 500 },
    ...(settings.tlsCertFile !== undefined && settings.tlsKeyFile !== undefined
      ? { https: { cert: readFileSync(settings.tlsCertFile), key: readFileSync(settings.tlsKeyFile) } }
      : {}),
  };
  const adapter = new FastifyAdapter(options as ConstructorParameters<typeof FastifyAdapter>[0]) as FastifyAdapter;
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, edges.of(pathOf(request.url), request.method)?.rawBody ? body : parseRest(request, body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  return adapter;
}

/** A key that would change what an object is, once it is copied, is dropped like any unknown one. */
const withoutPrototypes = (key: string, value: unknown): unknown => (key === '__proto__' ? undefined : value);

/** JSON object or form fields of a control-plane call, free of what cannot be stored; an empty body is `{}`. @throws RestError 400 invalid_json */
function parseRest(request: FastifyRequest, body: Buffer): Record<string, unknown> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (body.length === 0) return {};
  const text = body.toString('utf8');
  if (type === 'application/x-www-form-urlencoded')
    return cleanJson(Object.fromEntries(new URLSearchParams(text))) as Record<string, unknown>;
  let value: unknown;
  try {
    value = cleanJson(JSON.parse(text, /__proto__|\\u005f/i.test(text) ? withoutPrototypes : undefined));
  } catch {
    throw new RestError(400, 'invalid_json');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RestError(400, 'invalid_json');
  return value as Record<string, unknown>;
}
