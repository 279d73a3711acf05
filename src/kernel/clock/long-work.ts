/** The longest that long-running work delays other calls, in milliseconds. */
const AT_ONCE_MS = 8;

/** Pieces of work waiting for their turn of the event loop. */
const waiting: (() => void)[] = [];

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}

/** For work that cannot be split: resolves in a turn of the event loop in which no other long work runs. */
export const ownTurn = (): Promise<void> =>
  new Promise((resume) => {
    if (waiting.push(resume) === 1) setImmediate(next);
  });

/**
 * Iterates over many items and yields to other calls regularly. One piece runs per turn of the event loop however many
 * such iterations there are: together they delay others no longer than one does.
 */
export class LongWork {
  private since = performance.now();
  private done = 0;

  /** @param most items per piece, for work whose cost comes after the iteration, where the clock does not see it */
  constructor(private readonly most = Infinity) {}

  /** To be called between items; returns at once while the time of the piece is not used up. */
  async pause(things = 0): Promise<void> {
    this.done += things;
    if (this.done < this.most && performance.now() - this.since < AT_ONCE_MS) return;
    await ownTurn();
    this.since = performance.now();
    this.done = 0;
  }
}
