import type { TakeAlong, TakesAlong } from './takes-along.js';

/**
 * What a call has not taken of its allowance yet. It goes with the statement that does the call's work, or is taken before
 * anything is written or answered.
 */
export class PendingTake {
  private ending: Promise<void> | undefined;

  /** @param alone takes it by itself; rejected as the guard refuses @param taken it was taken with a statement */
  constructor(
    readonly along: TakesAlong,
    readonly take: TakeAlong,
    private readonly alone: () => Promise<void>,
    private readonly taken: () => void,
  ) {}

  /** Nobody has taken it, and nobody is about to. */
  get isOpen(): boolean {
    return this.ending === undefined;
  }

  /** Takes it if that has not been done. @throws where the call is refused */
  settle(): Promise<void> {
    return this.endsWith(() => this.alone());
  }

  /** @param sending whether it was taken with what is being sent; where not, it is taken by itself, and refused in its words */
  sentWith(sending: Promise<boolean>): Promise<void> {
    return this.endsWith(async () => ((await sending) ? this.taken() : this.alone()));
  }

  private endsWith(ending: () => Promise<void>): Promise<void> {
    if (!this.ending) {
      this.ending = ending();
      // heard by whoever asks next
      this.ending.catch(() => undefined);
    }
    return this.ending;
  }
}
