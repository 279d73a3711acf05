import { RestError } from '../http/http-error.js';

/** Statements and transactions of one tenant that wait for a connection; with more, its calls are refused. */
const MOST_WAITING = 200;
/** How long one waits for its place, in milliseconds: as long as a statement may take. */
const LONGEST_WAIT_MS = 5_000;

interface Lane {
  active: number;
  readonly waiting: (() => void)[];
}

/**
 * Who is at the store at once: each tenant with so many connections at most, so that what one of them does (or holds a
 * lock on) leaves the others theirs. What is beyond that waits in a queue of its own.
 */
export class TenantLanes {
  private readonly lanes = new Map<number, Lane>();

  /** @param places connections that one tenant may have at once */
  constructor(private readonly places: () => number) {}

  /** How many statements and transactions of a tenant wait for their place. */
  waitingOf(tenantId: number): number {
    return this.lanes.get(tenantId)?.waiting.length ?? 0;
  }

  /** @throws RestError 503 service_unavailable where too many of the tenant wait */
  async run<T>(tenantId: number | undefined, work: () => Promise<T>): Promise<T> {
    if (tenantId === undefined) return work();
    let lane = this.lanes.get(tenantId);
    if (!lane) this.lanes.set(tenantId, (lane = { active: 0, waiting: [] }));
    if (lane.active < this.places()) lane.active++;
    else if (lane.waiting.length >= MOST_WAITING) throw tooManyWait();
    else await placeIn(lane.waiting);
    try {
      return await work();
    } finally {
      const next = lane.waiting.shift();
      if (next) next();
      else if (--lane.active === 0) this.lanes.delete(tenantId);
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
      reject(tooManyWait());
    }, LONGEST_WAIT_MS);
    waiting.push(take);
  });
}

/** For one tenant alone: the store is there, and the others get their answers. */
export const tooManyWait = (): RestError => new RestError(503, 'service_unavailable', 1);
