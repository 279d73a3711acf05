import { Injectable } from '@nestjs/common';

/** Something that happens by itself in a sandbox when its clock gets there. */
export interface DueSource {
  /** The next moment at which something is due, in microseconds by the sandbox's clock, which tells `now`; null: nothing waits. */
  next(tenantId: number, now: number): Promise<number | null>;
  /** Makes what is due happen. Resolves when it has, or at `end` (performance.now()). */
  run(tenantId: number, end: number): Promise<void>;
}

/** What happens by itself, of whatever product: whoever moves a clock makes it happen in its order. */
@Injectable()
export class SandboxDues {
  private readonly sources: DueSource[] = [];

  /** At start-up. */
  register(source: DueSource): void {
    this.sources.unshift(source);
  }

  /** The same, for what the others cause. */
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
