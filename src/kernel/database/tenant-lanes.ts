import { setTimeout as sleep } from 'node:timers/promises';
import { outside } from '../http/call-context.js';
import { REFUSED_AFTER_MS, RestError } from '../http/http-error.js';
import { FairQueue, QueueRefusal } from '../limits/fair-queue.js';
import { ConcurrentTenants } from '../tenancy/concurrent-tenants.js';

/** The most calls of one tenant that wait for a connection; further ones are refused. */
const MAX_WAITING = 200;
/** How long a call waits for its place, in milliseconds: as long as a statement may take. */
const LONGEST_WAIT_MS = 5_000;

/**
 * Limits how many connections each tenant uses at once, so that its load (or the locks it holds) leaves connections for
 * the others; the limit is lower while others are active, as concurrent statements of one tenant slow everyone down.
 * Work beyond the limit waits in the tenant's own lane.
 */
export class TenantLanes {
  private readonly queue: FairQueue;

  /**
   * @param alone connections that a tenant may use while no other is active
   * @param among and while others are; at least one
   * @param concurrentTenants who is active, so that tenants of other lanes count as well
   */
  constructor(
    alone: () => number,
    among: (tenantId: number) => number = alone,
    private readonly concurrentTenants = new ConcurrentTenants(),
  ) {
    this.queue = new FairQueue({
      laneWidth: (tenantId) => (concurrentTenants.isAlone ? alone() : among(tenantId)),
      maxWaiting: MAX_WAITING,
      maxWaitMs: LONGEST_WAIT_MS,
    });
  }

  /** How many calls of a tenant wait for a place. */
  waitingOf(tenantId: number): number {
    return this.queue.callersIn(tenantId);
  }

  /**
   * @param caller the call the work is for; work without one counts as a call of its own
   * @throws RestError 503 service_unavailable when too many of the tenant's calls wait, or this one did for five seconds
   */
  async run<T>(tenantId: number | undefined, work: () => Promise<T>, caller?: object): Promise<T> {
    if (tenantId === undefined) return work();
    this.concurrentTenants.note(tenantId);
    return this.queue.run(tenantId, work, caller).catch(refused);
  }
}

/** @throws RestError 503 service_unavailable */
async function refused(error: unknown): Promise<never> {
  if (error instanceof QueueRefusal) return error.reason === 'full' ? tooManyWait() : unavailable();
  throw error;
}

const unavailable = (): never => {
  throw new RestError(503, 'service_unavailable', 1);
};

/**
 * Refuses one tenant only: the store works, and others get their answers. Delayed, so that a caller that retries at
 * once slows only itself down.
 * @throws RestError 503 service_unavailable
 */
export async function tooManyWait(): Promise<never> {
  await outside(() => sleep(REFUSED_AFTER_MS));
  return unavailable();
}
