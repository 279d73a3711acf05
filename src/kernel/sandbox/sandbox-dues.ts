import { Injectable } from '@nestjs/common';

/** Something that happens in a sandbox when its clock reaches a certain time. */
export interface DueSource {
  /**
   * The next time at which something is due, in microseconds by the sandbox's clock, whose time is `now`; null: nothing
   * is pending.
   */
  next(tenantId: number, now: number): Promise<number | null>;
  /** Executes what is due. Resolves when done, or at `end` (performance.now()). */
  run(tenantId: number, end: number): Promise<void>;
}

/** Scheduled work of both products: advancing a clock executes it in order. */
@Injectable()
export class SandboxDues {
  private readonly sources: DueSource[] = [];

  /** At start-up. */
  register(source: DueSource): void {
    this.sources.unshift(source);
  }

  /** The same for work that the others cause. */
  registerLast(source: DueSource): void {
    this.sources.push(source);
  }

  async next(tenantId: number, now: number): Promise<number | null> {
    const moments = await Promise.all(this.sources.map((source) => source.next(tenantId, now)));
    return moments.reduce((soonest, moment) => {
      if (soonest === null || moment === null) return soonest ?? moment;
      return Math.min(soonest, moment);
    }, null);
  }

  async run(tenantId: number, end: number): Promise<void> {
    for (const source of this.sources) await source.run(tenantId, end);
  }
}
