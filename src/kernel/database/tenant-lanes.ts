import { setTimeout as sleep } from 'node:timers/promises';
import { outside } from '../http/call-context.js';
import { REFUSED_AFTER_MS, RestError } from '../http/http-error.js';
import { ConcurrentTenants } from '../tenancy/concurrent-tenants.js';

/** The most calls of one tenant that wait for a connection; further ones are refused. */
const MAX_WAITING = 200;
/** How long a call waits for its place, in milliseconds: as long as a statement may take. */
const LONGEST_WAIT_MS = 5_000;

interface Lane {
  active: number;
  readonly waiting: (() => void)[];
  /** The number of waiting statements and transactions, by call or by themselves. */
  readonly callers: Map<object, number>;
}

/**
 * Limits how many connections each tenant uses at once, so that its load (or the locks it holds) leaves connections for
 * the others; the limit is lower while others are active, as concurrent statements of one tenant slow everyone down.
 * Work beyond the limit waits in the tenant's own queue.
 */
export class TenantLanes {
  private readonly lanes = new Map<number, Lane>();

  /**
   * @param alone connections that a tenant may use while no other is active
   * @param among and while others are; at least one
   * @param concurrentTenants who is active, so that tenants of other lanes count as well
   */
  constructor(
    private readonly alone: () => number,
    private readonly among: (tenantId: number) => number = alone,
    private readonly concurrentTenants = new ConcurrentTenants(),
  ) {}

  /** How many calls of a tenant wait for a place. */
  waitingOf(tenantId: number): number {
    return this.lanes.get(tenantId)?.callers.size ?? 0;
  }

  /**
   * @param caller the call the work is for; work without one counts as a call of its own
   * @throws RestError 503 service_unavailable when too many of the tenant's calls wait
   */
  async run<T>(tenantId: number | undefined, work: () => Promise<T>, caller: object = {}): Promise<T> {
    if (tenantId === undefined) return work();
    this.concurrentTenants.note(tenantId);
    let lane = this.lanes.get(tenantId);
    if (!lane) this.lanes.set(tenantId, (lane = { active: 0, waiting: [], callers: new Map() }));
    if (lane.waiting.length === 0 && lane.active < this.places(tenantId)) lane.active++;
    else if (lane.callers.size >= MAX_WAITING && !lane.callers.has(caller)) await tooManyWait();
    else await this.placeIn(lane, caller);
    try {
      return await work();
    } finally {
      lane.active--;
      for (const places = this.places(tenantId); lane.active < places;) {
        const next = lane.waiting.shift();
        if (!next) break;
        lane.active++;
        next();
      }
      if (lane.active === 0) this.lanes.delete(tenantId);
    }
  }

  private places(tenantId: number): number {
    return this.concurrentTenants.isAlone ? this.alone() : this.among(tenantId);
  }

  /**
   * Resolves when a place is handed over.
   * @throws RestError 503 service_unavailable after five seconds
   */
  private async placeIn({ waiting, callers }: Lane, caller: object): Promise<void> {
    callers.set(caller, (callers.get(caller) ?? 0) + 1);
    try {
      await placeIn(waiting);
    } finally {
      const left = (callers.get(caller) ?? 1) - 1;
      if (left > 0) callers.set(caller, left);
      else callers.delete(caller);
    }
  }
}

/**
 * Resolves when a place is handed over.
 * @throws RestError 503 service_unavailable after five seconds
 */
function placeIn(waiting: (() => void)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const take = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(take), 1);
      reject(serviceUnavailable());
    }, LONGEST_WAIT_MS);
    waiting.push(take);
  });
}

const serviceUnavailable = (): RestError => new RestError(503, 'service_unavailable', 1);

/**
 * Refuses one tenant only: the store works, and others get their answers. Delayed, so that a caller that retries at
 * once slows only itself down.
 * @throws RestError 503 service_unavailable
 */
export async function tooManyWait(): Promise<never> {
  await outside(() => sleep(REFUSED_AFTER_MS));
  throw serviceUnavailable();
}
