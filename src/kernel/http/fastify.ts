import { readFileSync } from 'node:fs';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { atPlace } from '../clock/clock.js';
import type { Settings } from '../config/settings.js';
import { newRequestId } from '../ids/ids.js';
import { cleanJson } from '../text/clean.js';
import { requireObject, readJsonObject } from '../text/json.js';
import { readYaml } from '../text/yaml.js';
import { HEAD_MS } from './arrival-checks.js';
import { HttpEdges, pathOf } from './edges.js';
import { RestError, restErrorBody } from './http-error.js';
import { LARGE_DOCUMENT, LargeDocument } from './large-document.js';
import { tidyUrl } from './tidy-url.js';

/** Largest body anywhere, in bytes (docs/reference/chat.md#request-formats). */
export const BODY_LIMIT = 2 * 1024 * 1024;

/** The time limit for request headers, so that incomplete ones are noticed soon. */
const HEADS = { headersTimeout: HEAD_MS, connectionsCheckingInterval: 1_000 };

/** Fastify with our body parsing: an edge may take bodies raw, all other routes get parsed JSON or form fields. */
export function createAdapter(settings: Settings, edges: HttpEdges): FastifyAdapter {
  const options = {
    bodyLimit: BODY_LIMIT,
    // request ids are hex and never a UUID (docs/reference/chat.md#envelope, #clients)
    genReqId: newRequestId,
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
  fastify.addHook('preValidation', (_request, _reply, done) => atPlace(done));
  fastify.addHook('onRoute', (route) => {
    const limit = route.method === 'POST' ? edges.documentLimit(route.url) : undefined;
    if (limit !== undefined) route.bodyLimit = limit;
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(
        null,
        edges.of(pathOf(request.url), request.method)?.rawBody ? body : parseRest(request, body as Buffer, edges),
      );
    } catch (error) {
      done(error as Error);
    }
  });
  return adapter;
}

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json$/;

/**
 * The JSON object of a control-plane call, free of characters that cannot be stored; an empty body is `{}`. A page of
 * another site can send other content types without permission, so they are refused except for routes that accept
 * forms. A large document is passed on unparsed.
 * @throws RestError 415 unsupported_media_type, 400 invalid_json
 */
function parseRest(request: FastifyRequest, body: Buffer, edges: HttpEdges): Record<string, unknown> | LargeDocument {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (body.length === 0) return {};
  const path = pathOf(request.url);
  if (type === 'application/x-www-form-urlencoded' && edges.takesForms(path))
    return cleanJson(Object.fromEntries(new URLSearchParams(body.toString('utf8')))) as Record<string, unknown>;
  const takesDocuments = edges.documentLimit(path) !== undefined;
  const isYaml = type === 'application/yaml' && takesDocuments;
  if (isYaml && body.length > BODY_LIMIT) throw new RestError(413, 'payload_too_large');
  if (!isYaml && !JSON_TYPE.test(type ?? '')) throw new RestError(415, 'unsupported_media_type');
  if (takesDocuments && body.length > LARGE_DOCUMENT) return new LargeDocument(body, isYaml);
  const text = body.toString('utf8');
  return isYaml ? requireObject(readYaml(text)) : readJsonObject(text);
}
