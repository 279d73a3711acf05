import { Injectable } from '@nestjs/common';

/** How long calls are still accepted after readiness failed, so that load balancers notice, in milliseconds. */
export const NOTICE_MS = 3_000;

/**
 * A load balancer that probed readiness this recently gets to see a failure before the server stops listening, in
 * milliseconds.
 */
const RECENT_MS = 30_000;

/** Whether this process serves or is about to stop. */
@Injectable()
export class Lifecycle {
  private stopping = false;
  private askedAt = -Infinity;
  private readonly listeners = new Set<() => void>();

  get draining(): boolean {
    return this.stopping;
  }

  /** Called when this process is about to stop. */
  onDrain(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** A load balancer probes readiness. */
  asked(): void {
    this.askedAt = performance.now();
  }

  /**
   * Readiness fails from now on. Returns how long calls must still be accepted, in milliseconds: zero when nobody
   * probes readiness, so that Ctrl+C on a laptop does not wait for load balancers that do not exist.
   */
  drain(): number {
    if (!this.stopping) {
      this.stopping = true;
      for (const listener of this.listeners) listener();
    }
    return performance.now() - this.askedAt < RECENT_MS ? NOTICE_MS : 0;
  }
}
