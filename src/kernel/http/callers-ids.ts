import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fromCaller, toCaller } from '../clock/request-sandbox.js';

/**
 * Answers of sandboxes with ids of their own leave with the ids that their callers know
 * (docs/decisions/equal-forks.md). To be called after the hooks that record answers, which are stored with those that
 * are stored, and before the one that cuts long ones.
 */
export function answerInCallersIds(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string') void reply.header('location', toCaller(location));
    done(null, typeof payload === 'string' ? toCaller(payload) : payload);
  });
}

const sentBodies = new WeakMap<FastifyRequest, unknown>();

/** What a request names has the ids that are stored from now on: path, query and body. */
export function readInCallersIds(request: FastifyRequest): void {
  for (const part of ['params', 'query'] as const) request[part] = fromCaller(request[part]);
  readBodyAs(request, fromCaller(request.body));
}

/** The same of a body that is a text of JSON still. */
export function readTextInCallersIds(request: FastifyRequest, body: Buffer): void {
  readBodyAs(request, Buffer.from(fromCaller(body.toString('utf8'))));
}

function readBodyAs(request: FastifyRequest, body: unknown): void {
  if (body !== request.body) sentBodies.set(request, request.body);
  request.body = body;
}

/** The body of a request with the ids with which it came. */
export const bodyAsSent = (request: FastifyRequest): unknown =>
  sentBodies.has(request) ? sentBodies.get(request) : request.body;
