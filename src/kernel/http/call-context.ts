import { AsyncLocalStorage } from 'node:async_hooks';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { HttpEdges, pathOf } from './edges.js';
import type { Place } from '../tenancy/admission.js';
import { RestError } from './http-error.js';

/** What is done on behalf of a request: found wherever that leads, but in batches that serve several. */
export interface CallContext {
  readonly requestId: string;
  /** Known from the moment on when the credential has led to one. */
  tenantId?: number;
  /** When the caller went away without having waited for the answer, on the clock of `performance.now()`. */
  hungUpAt?: number;
  /** What is done at once when the caller goes away. */
  readonly onHangUp: Set<() => void>;
  /** A call that waits for an event: it does not count as under way. */
  readonly isWaiting: boolean;
  /** What the call has to come to an end with before it writes or answers. */
  pending?: { settle(): Promise<void> } | undefined;
  /** It counts among its tenant's calls under way, until this is called. */
  leave?: () => void;
  /** Its place among those at work; none where it is not counted. */
  place?: Place;
}

/** Calls of one tenant under way at once in this process, half of all there may be; its next one is refused. */
const MOST_OF_TENANT = 1_000;
const underWay = new Map<number, number>();

const contexts = new AsyncLocalStorage<CallContext>();

/** Marks everything that is done for a request, from the moment on when its body has been read. */
export function followCalls(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const edges = app.get(HttpEdges);
  // not earlier: what reads the body would lose the mark again
  fastify.addHook('preValidation', (request, reply, done) => {
    const isWaiting = edges.isWaiting(pathOf(request.url));
    const context: CallContext = { requestId: request.id, onHangUp: new Set(), isWaiting };
    reply.raw.once('close', () => {
      context.leave?.();
      if (reply.raw.writableFinished) return;
      context.hungUpAt = performance.now();
      for (const stop of context.onHangUp) stop();
    });
    contexts.run(context, done);
  });
}

/** What is being done on behalf of whom; undefined where no request caused it. */
export const currentCall = (): CallContext | undefined => contexts.getStore();

/**
 * From now on what is done for this request is done for that tenant.
 * @param share the tenant with whose calls this one is counted
 * @throws RestError 503 service_unavailable where too many of its calls are under way
 */
export function isForTenant(tenantId: number, share: number): void {
  const context = contexts.getStore();
  if (!context) return;
  const isKnown = context.tenantId !== undefined;
  context.tenantId = tenantId;
  context.place?.belongsTo(share);
  if (isKnown || context.isWaiting || context.hungUpAt !== undefined) return;
  const others = underWay.get(share) ?? 0;
  if (others >= MOST_OF_TENANT) throw new RestError(503, 'service_unavailable', 1);
  underWay.set(share, others + 1);
  context.leave = () => {
    const left = (underWay.get(share) ?? 1) - 1;
    if (left > 0) underWay.set(share, left);
    else underWay.delete(share);
  };
}

/** Runs work that waits for something outside: meanwhile the call does not count as running. */
export async function outside<T>(work: () => Promise<T>): Promise<T> {
  const place = contexts.getStore()?.place;
  place?.stepOut();
  try {
    return await work();
  } finally {
    place?.stepIn();
  }
}

/** What a hang-up stops at most, in ms: what goes on longer in its name is the server's own business. */
const HANG_UP_STOPS_MS = 10_000;

/** Whether nobody waits for what is being done. */
export function hasHungUp(context: CallContext): boolean {
  return context.hungUpAt !== undefined && performance.now() - context.hungUpAt < HANG_UP_STOPS_MS;
}

/** The id of the request that caused what happens now; null when none did. */
export const currentCause = (): string | null => contexts.getStore()?.requestId ?? null;
