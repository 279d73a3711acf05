import { AsyncResource } from 'node:async_hooks';
import { IncomingMessage } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Db } from '../database/db.js';
import { Metrics } from '../metrics/metrics.js';
import { Admission } from '../tenancy/admission.js';
import { currentCall } from './call-context.js';
import { HttpEdges, pathOf } from './edges.js';
import { RestError } from './http-error.js';
import { KnownCallers } from './known-callers.js';
import { refuseCall } from './pressure.js';

/** How often the event loop's delay is measured while any caller has several calls running, in milliseconds. */
const LOOK_MS = 20;
/** The period over which load is measured, in milliseconds: a single call may fill a shorter one. */
const BUSY_OVER_MS = 50;

/**
 * Starts calls when it is their tenant's turn: at once, unless the event loop is late and their tenant has many running
 * (docs/reference/limits.md#overload).
 */
export function admitCalls(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const [edges, callers, db] = [app.get(HttpEdges), app.get(KnownCallers), app.get(Db)];
  const admission = new Admission((tenant) => db.waitingOf(tenant));
  db.pacedBy((tenant) => admission.levelOf(tenant));
  const watch = watching(admission);
  app
    .get(Metrics)
    .gauge('understudy_calls_waiting', 'Calls that wait for their tenant’s turn.', () => admission.waiting);

  fastify.addHook('preValidation', (request, reply, done) => {
    const call = currentCall();
    const path = pathOf(request.url);
    // a request that the server makes to itself belongs to the call that caused it
    const isOwn = !(request.raw instanceof IncomingMessage);
    if (!call || call.isWaiting || isOwn || path.startsWith('/api/health')) return done();
    const turn = admission.enter(callers.of(request));
    // of many who sign in at once the store knows nothing yet: they are too many, and it is not away
    const refusal = edges.isSigningIn(path) ? new RestError(429, 'ratelimited', 1) : undefined;
    if (!turn) return refuseCall(edges, request, reply, 1, refusal);
    call.turn = turn;
    if (!admission.isCalm) watch();
    if (reply.raw.destroyed) turn.leave();
    else reply.raw.once('close', () => turn.leave());
    if (!turn.isWaiting) return done();
    const begin = AsyncResource.bind(done);
    turn.whenDecided((isAdmitted) => (isAdmitted ? begin() : refuseCall(edges, request, reply, 1, refusal)));
  });
}

/** Reports the event loop's delay and load to the admission until that is calm again. */
function watching(admission: Admission): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    if (timer) return;
    let due = performance.now() + LOOK_MS;
    let since = performance.eventLoopUtilization();
    timer = setInterval(() => {
      const now = performance.now();
      const { active, idle, utilization } = performance.eventLoopUtilization(since);
      const isKnown = active + idle >= BUSY_OVER_MS;
      if (isKnown) since = performance.eventLoopUtilization();
      admission.tick(now - due, isKnown ? utilization : 0);
      due = now + LOOK_MS;
      if (!admission.isCalm) return;
      clearInterval(timer);
      timer = undefined;
    }, LOOK_MS).unref();
  };
}
