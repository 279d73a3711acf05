import { setTimeout as sleep } from 'node:timers/promises';
import { outside } from '../http/call-context.js';
import { REFUSED_AFTER_MS, RestError } from '../http/http-error.js';
import { Company } from '../tenancy/company.js';

/** Calls of one tenant that wait for a connection; what further ones ask of the store is refused. */
const MOST_WAITING = 200;
/** How long one waits for its place, in milliseconds: as long as a statement may take. */
const LONGEST_WAIT_MS = 5_000;

interface Lane {
  active: number;
  readonly waiting: (() => void)[];
  /** How many statements and transactions wait for each call, or by themselves. */
  readonly callers: Map<object, number>;
}

/**
 * Who is at the store at once: each tenant with so many connections at most, so that what one of them does (or holds a
 * lock on) leaves the others theirs; with fewer while others ask as well, as statements of one tenant that run beside each
 * other slow down those of all. What is beyond that waits in a queue of its own.
 */
export class TenantLanes {
  private readonly lanes = new Map<number, Lane>();

  /**
   * @param alone connections that a tenant may have at once while no other asks
   * @param among and while others do; at least one
   * @param company who asks, where other lanes count as well
   */
  constructor(
    private readonly alone: () => number,
    private readonly among: (tenantId: number) => number = alone,
    private readonly company = new Company(),
  ) {}

  /** How many calls of a tenant wait for their place. */
  waitingOf(tenantId: number): number {
    return this.lanes.get(tenantId)?.callers.size ?? 0;
  }

  /**
   * @param caller the call that it is done for; what is done for none counts as one
   * @throws RestError 503 service_unavailable where too many of the tenant wait
   */
  async run<T>(tenantId: number | undefined, work: () => Promise<T>, caller: object = {}): Promise<T> {
    if (tenantId === undefined) return work();
    this.company.note(tenantId);
    let lane = this.lanes.get(tenantId);
    if (!lane) this.lanes.set(tenantId, (lane = { active: 0, waiting: [], callers: new Map() }));
    if (lane.waiting.length === 0 && lane.active < this.places(tenantId)) lane.active++;
    else if (lane.callers.size >= MOST_WAITING && !lane.callers.has(caller)) await tooManyWait();
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
    return this.company.isAlone ? this.alone() : this.among(tenantId);
  }

  /** Resolves when whoever leaves hands its place over. @throws RestError 503 service_unavailable after five seconds */
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

/** Resolves when whoever leaves hands its place over. @throws RestError 503 service_unavailable after five seconds */
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
 * For one tenant alone: the store is there, and the others get their answers. Not at once, so that who tries again at once
 * slows down itself. @throws RestError 503 service_unavailable
 */
export async function tooManyWait(): Promise<never> {
  await outside(() => sleep(REFUSED_AFTER_MS));
  throw serviceUnavailable();
}
