import { AsyncLocalStorage } from 'node:async_hooks';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { currentStep } from '../clock/request-sandbox.js';
import { HttpEdges, pathOf } from './edges.js';
import type { Turn } from '../tenancy/admission.js';
import { RestError } from './http-error.js';
import { isCheck } from './own-calls.js';

/** The context of a request: available in everything done for it, except in batches that serve several. */
export interface CallContext {
  readonly requestId: string;
  /** When its work began on the clock of `performance.now()`, plus the time that it has waited for something outside. */
  startedAt: number;
  /** It may take long: what it asks of the store has time limits, but all of it together has none. */
  readonly mayTakeLong: boolean;
  /** Set once the credential has led to a tenant. */
  tenantId?: number;
  /** Set for calls that write nothing of other tenants: what the process remembers of those stays true. */
  ownTenantId?: number;
  /** When the caller hung up without waiting for the answer, on the clock of `performance.now()`. */
  hungUpAt?: number;
  /** Called when the caller hangs up. */
  readonly onHangUp: Set<() => void>;
  /** Called when its connection is done with the answer, or closed. */
  onClose?: () => void;
  /** A call that waits for an event: it does not count as running. */
  readonly isWaiting: boolean;
  /** The process makes it to learn whether a credential is good: it is no call of its owner. */
  readonly isCheck: boolean;
  /** Ends the call's count among its tenant's running calls. */
  leave?: () => void;
  /** Its turn in the admission; none if the call is not counted. */
  turn?: Turn;
}

/** The most running calls of one tenant in this process, half of the process's limit; its next one is refused. */
const MAX_CALLS_OF_TENANT = 1_000;
const underWay = new Map<number, number>();

const contexts = new AsyncLocalStorage<CallContext>();

/** Creates the context of a request, once its body has been read. */
export function followCalls(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const edges = app.get(HttpEdges);
  // not earlier: reading the body would lose the async context again
  fastify.addHook('preValidation', (request, reply, done) => {
    const path = pathOf(request.url);
    const isWaiting = edges.isWaiting(path);
    const context: CallContext = {
      requestId: request.id,
      startedAt: performance.now(),
      mayTakeLong: isWaiting || edges.mayTakeLong(path),
      onHangUp: new Set(),
      isWaiting,
      isCheck: isCheck(request),
    };
    reply.raw.once('close', () => {
      context.leave?.();
      context.onClose?.();
      if (reply.raw.writableFinished) return;
      context.hungUpAt = performance.now();
      for (const stop of context.onHangUp) stop();
    });
    contexts.run(context, done);
  });
}

/** The current request's context; undefined outside a request. */
export const currentCall = (): CallContext | undefined => contexts.getStore();

/**
 * From now on this request belongs to that tenant.
 * @param share the tenant that this one is counted with
 * @throws RestError 503 service_unavailable when too many of its calls are running
 */
export function isForTenant(tenantId: number, share: number): void {
  const context = contexts.getStore();
  if (!context) return;
  const isKnown = context.tenantId !== undefined;
  context.tenantId = tenantId;
  context.turn?.belongsTo(share);
  if (isKnown || context.isWaiting || context.hungUpAt !== undefined) return;
  const others = underWay.get(share) ?? 0;
  if (others >= MAX_CALLS_OF_TENANT) throw new RestError(503, 'service_unavailable', 1);
  underWay.set(share, others + 1);
  context.leave = () => {
    const left = (underWay.get(share) ?? 1) - 1;
    if (left > 0) underWay.set(share, left);
    else underWay.delete(share);
  };
}

/** The current call is a method of a product, which changes nothing outside its caller's tenant. */
export function staysInTenant(tenantId: number): void {
  const context = contexts.getStore();
  if (context) context.ownTenantId = tenantId;
}

/** The current call changes something outside its caller's tenant after all. */
export function leavesTenant(): void {
  delete contexts.getStore()?.ownTenantId;
}

/** Runs work that waits for something outside: meanwhile the call does not count as running. */
export async function outside<T>(work: () => Promise<T>): Promise<T> {
  const context = contexts.getStore();
  const since = performance.now();
  const step = currentStep();
  context?.turn?.stepOut();
  if (step) await step.leave();
  try {
    return await work();
  } finally {
    if (step) await step.resume();
    if (context) context.startedAt += performance.now() - since;
    context?.turn?.stepIn();
  }
}

/** How long after a hang-up work is still cancelled, in ms: work that lasts longer is the server's own. */
const HANG_UP_STOPS_MS = 10_000;

/** Whether the caller has hung up. */
export function hasHungUp(context: CallContext): boolean {
  return context.hungUpAt !== undefined && performance.now() - context.hungUpAt < HANG_UP_STOPS_MS;
}

/** The id of the current request; null outside one. */
export const currentCause = (): string | null => contexts.getStore()?.requestId ?? null;
