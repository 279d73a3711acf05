import type { Clock } from '../kernel/clock/clock.js';
import { coalesce } from '../kernel/database/coalesce.js';
import type { Db } from '../kernel/database/db.js';
import type { DeliveryOptions, Dialect } from './dialect.js';

/** State shared by the parts of the delivery engine. */
export interface EngineContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly options: DeliveryOptions;
  /** Names this process in leases. */
  readonly owner: string;
  readonly dialects: Dialects;
  /** False once the engine drains or has stopped: nothing new is started. */
  isRunning(): boolean;
  /** The store is away: reported once, until `reportRecovery`. */
  reportOutage(error: Error): void;
  reportRecovery(): void;
  /**
   * Whether what others had begun may be taken over once their leases have lapsed. After an outage of the store all of
   * them have, so that whoever had answers that could not be written gets the time to write them first.
   */
  mayTakeOver(): boolean;
}

/** The dialects of this process by name, with calls of `loadTargets` batched. */
export class Dialects {
  private readonly all = new Map<string, Dialect>();
  private readonly loaders = new Map<string, (id: string) => Promise<unknown>>();

  add<T>(dialect: Dialect<T>): void {
    if (this.all.has(dialect.product)) throw new Error(`two dialects are named ${dialect.product}`);
    this.all.set(dialect.product, dialect as Dialect);
    const load = async (ids: string[]): Promise<unknown[]> => {
      const loaded = await dialect.loadTargets([...new Set(ids)]);
      return ids.map((id) => loaded.get(id));
    };
    this.loaders.set(dialect.product, coalesce(load, { name: 'deliveries.targets' }));
  }

  get(product: string): Dialect | undefined {
    return this.all.get(product);
  }

  get names(): string[] {
    return [...this.all.keys()];
  }

  get size(): number {
    return this.all.size;
  }

  /** The dialects whose targets not every process can reach, and the targets that this one can. */
  reachable(): { products: string[]; targetIds: string[] } {
    const bound = [...this.all.values()].filter((dialect) => dialect.reachable);
    return {
      products: bound.map(({ product }) => product),
      targetIds: bound.flatMap((dialect) => dialect.reachable?.() ?? []),
    };
  }

  /** The dialects with a limit of their own of one target's retries in flight, and these limits. */
  retriesUnderWay(): [products: string[], limits: number[]] {
    const limited = [...this.all.values()].filter((dialect) => dialect.retriesUnderWay !== undefined);
    return [limited.map(({ product }) => product), limited.map((dialect) => dialect.retriesUnderWay as number)];
  }

  /** The longest time limit of an attempt. */
  get longestTimeoutMs(): number {
    return Math.max(...[...this.all.values()].map(({ timeoutMs }) => timeoutMs));
  }

  load(dialect: Dialect, id: string): Promise<unknown> {
    return (this.loaders.get(dialect.product) as (id: string) => Promise<unknown>)(id);
  }
}
