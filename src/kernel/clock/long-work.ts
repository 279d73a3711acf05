/** Other calls wait no longer than this for a piece of long work, in milliseconds. */
const AT_ONCE_MS = 8;

/** Pieces that wait for their turn of the event loop. */
const waiting: (() => void)[] = [];

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}

/** For what cannot be done in pieces: resolves in a turn of the event loop in which no other long work goes on. */
export const ownTurn = (): Promise<void> =>
  new Promise((resume) => {
    if (waiting.push(resume) === 1) setImmediate(next);
  });

/**
 * Work on many things that gives way to other calls now and then. However many long works there are, one piece is done in
 * a turn of the event loop: together they hold up others no longer than one.
 */
export class LongWork {
  private since = performance.now();
  private done = 0;

  /** @param most things of a piece, where each goes on costing time after it is done: the clock sees nothing of that */
  constructor(private readonly most = Infinity) {}

  /** Between two things, or after so many; quick where it is not time yet. */
  async pause(things = 0): Promise<void> {
    this.done += things;
    if (this.done < this.most && performance.now() - this.since < AT_ONCE_MS) return;
    await ownTurn();
    this.since = performance.now();
    this.done = 0;
  }
}
