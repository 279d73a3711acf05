import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { poolOf } from '../database/pool.js';
import { StoreWatch } from '../database/store-watch.js';
import { Log } from '../log/log.js';
import { Metrics } from '../metrics/metrics.js';
import { CallsUnderWay } from './calls-under-way.js';
import { HttpEdges, pathOf } from './edges.js';
import { REFUSED_AFTER_MS, RestError, restErrorBody } from './http-error.js';
import { RETRY_AFTER_SECONDS } from './error.filter.js';

/** The most running calls; further ones are refused. Each holds its body and its place in a batch. */
const MAX_IN_FLIGHT = 2_000;
/** The most statements waiting for a connection; beyond it calls are refused instead of queued. */
const MAX_WAITING = 1_000;

/** Ends a call's count among the running ones. */
const underWay = new WeakMap<FastifyRequest, () => void>();

/** The outcome of an answer, for the metrics: set by the edges when the status does not tell. */
export interface CallOutcome {
  outcome?: string;
}
export const callOutcome = (request: FastifyRequest): CallOutcome => request as FastifyRequest & CallOutcome;

/**
 * Refuses early with 503 and Retry-After when there is more work than the process can hold, or the store does not
 * answer; counts every call, and logs each at level `debug`: by its route, as paths and query strings may hold
 * credentials. Every answer has the id under which the log knows its call. The health routes are always answered.
 */
export function watchPressure(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const edges = app.get(HttpEdges);
  const metrics = app.get(Metrics);
  const log = app.get(Log);
  const dataSource = app.get(DataSource);
  const store = app.get(StoreWatch);
  const waiting = (): number => poolOf(dataSource).waitingCount;
  const calls = app.get(CallsUnderWay);
  metrics.gauge('understudy_requests_in_flight', 'Calls under way.', () => calls.count);

  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('X-Request-Id', request.id);
    const path = pathOf(request.url);
    const canServe = calls.count < MAX_IN_FLIGHT && waiting() <= MAX_WAITING && !store.silent;
    if (canServe || path.startsWith('/api/health')) return done();
    refuseCall(edges, request, reply, RETRY_AFTER_SECONDS);
  });
  // counted once read completely: requests that arrive slowly or incompletely do not count as running
  fastify.addHook('preValidation', (request, reply, done) => {
    if (edges.isWaiting(pathOf(request.url))) return done();
    const end = calls.begin();
    let isCounted = true;
    const leave = (): void => {
      if (isCounted) end();
      isCounted = false;
    };
    underWay.set(request, leave);
    // `close` fires for every answer, even if the client went away
    if (reply.raw.destroyed) leave();
    else reply.raw.once('close', leave);
    done();
  });
  const logged = log.isEnabled('debug');
  if (!metrics.enabled && !logged) return;
  fastify.addHook('onResponse', (request, reply, done) => {
    const [method, outcome, ms] = [methodOf(request), outcomeOf(request, reply), reply.elapsedTime];
    metrics.request(method, outcome, ms / 1000);
    if (logged) {
      const { id: requestId } = request;
      log.debug('answered', { method, status: reply.statusCode, outcome, ms: Math.round(ms * 10) / 10, requestId });
    }
    done();
  });
}

/**
 * Answers after a short delay, in the format of the edge that the call was for.
 * @param error by default 503 service_unavailable
 */
export function refuseCall(
  edges: HttpEdges,
  request: FastifyRequest,
  reply: FastifyReply,
  retryAfter: number,
  error = new RestError(503, 'service_unavailable', retryAfter),
): void {
  underWay.get(request)?.();
  setTimeout(() => {
    if (!reply.raw.destroyed) refuse(edges, request, reply, error);
  }, REFUSED_AFTER_MS).unref();
}

function refuse(edges: HttpEdges, request: FastifyRequest, reply: FastifyReply, error: RestError): void {
  const edge = edges.of(pathOf(request.url), request.method);
  if (edge) return edge.refuse(request, reply, error);
  const status = error.getStatus();
  void reply
    .header('Retry-After', String(error.retryAfterSeconds))
    .code(status)
    .send(restErrorBody(status, error.code));
}

/** The route as declared, so that ids in paths make no new time series; unknown routes share one. */
function methodOf(request: FastifyRequest): string {
  const url = request.routeOptions.url;
  if (url === undefined || url.includes('*')) return 'unknown';
  const path = url.startsWith('/api/') ? url.slice(5) : url;
  return /^[A-Za-z]+\.[A-Za-z.]+$/.test(path) ? path : `${request.method} ${path}`;
}

const outcomeOf = (request: FastifyRequest, reply: FastifyReply): string =>
  callOutcome(request).outcome ?? (reply.statusCode < 400 ? 'ok' : String(reply.statusCode));
