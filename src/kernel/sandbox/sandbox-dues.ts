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
  /** Some of it may be due as soon as something else has happened, while the clock stands. */
  readonly isAtOnce?: boolean;
}

/** Scheduled work of both products: advancing a clock executes it in order. */
@Injectable()
export class SandboxDues {
  private readonly sources: DueSource[] = [];
  /** Those that the others cause. */
  private readonly last: DueSource[] = [];

  /** At start-up. */
  register(source: DueSource): void {
    this.sources.unshift(source);
  }

  /** The same for work that the others cause. */
  registerLast(source: DueSource): void {
    this.last.push(source);
  }

  async next(tenantId: number, now: number): Promise<number | null> {
    return soonestOf([...this.sources, ...this.last], tenantId, now);
  }

  /** The same for what may be due though the clock stands. */
  async nextAtOnce(tenantId: number, now: number): Promise<number | null> {
    return soonestOf(
      this.sources.filter(({ isAtOnce }) => isAtOnce),
      tenantId,
      now,
    );
  }

  /** @param options.withLast whether what the others cause is waited for, too */
  async run(tenantId: number, end: number, { withLast = true } = {}): Promise<void> {
    for (const source of withLast ? [...this.sources, ...this.last] : this.sources) await source.run(tenantId, end);
  }
}

async function soonestOf(sources: readonly DueSource[], tenantId: number, now: number): Promise<number | null> {
  const moments = await Promise.all(sources.map((source) => source.next(tenantId, now)));
  return moments.reduce((soonest, moment) => {
    if (soonest === null || moment === null) return soonest ?? moment;
    return Math.min(soonest, moment);
  }, null);
}
