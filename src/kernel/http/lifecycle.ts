import { Injectable } from '@nestjs/common';

/** How long calls are still taken after readiness failed, so that balancers notice, in milliseconds. */
export const NOTICE_MS = 3_000;

/** A balancer that asked for readiness this recently gets to see a refusal before the server stops listening, in milliseconds. */
const RECENT_MS = 30_000;

/** Whether this process serves, or is about to stop. */
@Injectable()
export class Lifecycle {
  private stopping = false;
  private askedAt = -Infinity;
  private readonly listeners = new Set<() => void>();

  get draining(): boolean {
    return this.stopping;
  }

  /** Told at once when this process is about to stop. */
  onDrain(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Somebody routes by readiness. */
  asked(): void {
    this.askedAt = performance.now();
  }

  /**
   * Readiness fails from now on. Answers how long calls must still be taken, in milliseconds: nothing when nobody asks
   * for readiness, so that a laptop's Ctrl+C does not wait for balancers that are not there.
   */
  drain(): number {
    if (!this.stopping) {
      this.stopping = true;
      for (const listener of this.listeners) listener();
    }
    return performance.now() - this.askedAt < RECENT_MS ? NOTICE_MS : 0;
  }
}
