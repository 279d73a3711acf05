import type { Readable } from 'node:stream';

/** What is read of all bodies in one turn of the event loop, in bytes; each body that still comes may add two chunks. */
const BYTES_A_TURN = 256 * 1024;

/**
 * Reads bodies in turns with everything else: a socket hands over up to 2 MiB at once, so a dozen large bodies would hold
 * each turn of the event loop for 50 ms, and a call of a neighbour takes several (docs/reference/limits.md#overload).
 */
export class BodyPace {
  private inTurn = 0;
  private readonly waiting = new Set<Readable>();
  private readonly followed = new WeakSet<Readable>();

  /** From now on the body is read in turns, also when nobody listens to it any more. */
  follow(body: Readable): void {
    if (this.followed.has(body)) return;
    this.followed.add(body);
    body.on('data', (chunk: Buffer) => {
      if (this.inTurn === 0) setImmediate(() => this.next());
      this.inTurn += chunk.length;
      // who paused it already resumes it
      if (body.isPaused() || this.inTurn < BYTES_A_TURN) return;
      body.pause();
      this.waiting.add(body);
    });
  }

  /** Nobody needs what still comes of the body: it is read all the same, so that its sender sees the answer. */
  drop(body: Readable): void {
    this.follow(body);
    body.resume();
  }

  private next(): void {
    this.inTurn = 0;
    const bodies = [...this.waiting];
    this.waiting.clear();
    for (const body of bodies) body.resume();
  }
}
