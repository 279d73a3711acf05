import type { StatementTake, StatementTakes } from './statement-takes.js';

/**
 * A take that a call still owes. It becomes part of the statement that does the call's work, or is made before anything
 * is written or answered.
 */
export class PendingTake {
  private ending: Promise<void> | undefined;

  /**
   * @param alone makes the take by itself; rejects as the guard refuses
   * @param taken called when a statement has made it
   */
  constructor(
    readonly along: StatementTakes,
    readonly take: StatementTake,
    private readonly alone: () => Promise<void>,
    private readonly taken: () => void,
  ) {}

  /** Not taken, and not about to be. */
  get isOpen(): boolean {
    return this.ending === undefined;
  }

  /**
   * Makes the take unless that has been done.
   * @throws when the call is refused
   */
  settle(): Promise<void> {
    return this.endsWith(() => this.alone());
  }

  /**
   * @param sending whether the statement being sent made the take; if not, it is made by itself, with its own refusal
   */
  sentWith(sending: Promise<boolean>): Promise<void> {
    return this.endsWith(async () => ((await sending) ? this.taken() : this.alone()));
  }

  private endsWith(ending: () => Promise<void>): Promise<void> {
    if (!this.ending) {
      this.ending = ending();
      // reported to the next caller of this take
      this.ending.catch(() => undefined);
    }
    return this.ending;
  }
}
