import { Injectable } from '@nestjs/common';

/** How many calls run in this process, for work that nobody waits for: it lets them end first. */
@Injectable()
export class CallsUnderWay {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  get count(): number {
    return this.running;
  }

  /** Returns how the call ends, to be called once. */
  begin(): () => void {
    this.running++;
    return () => {
      this.running--;
      if (this.running > 0) return;
      for (const go of this.waiting) go();
    };
  }

  /** Resolves when none runs, or after `mostMs`; undefined: none does. */
  none(mostMs: number): Promise<void> | undefined {
    if (this.running === 0) return undefined;
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        this.waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, mostMs);
      this.waiting.add(go);
    });
  }
}
