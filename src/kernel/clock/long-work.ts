import { setImmediate } from 'node:timers/promises';

/** Other calls wait no longer than this for a piece of long work, in milliseconds. */
const AT_ONCE_MS = 8;

/** Work on many things that gives way to other calls now and then. */
export class LongWork {
  private since = performance.now();

  /** Between two things; quick where it is not time yet. */
  async pause(): Promise<void> {
    if (performance.now() - this.since < AT_ONCE_MS) return;
    await setImmediate();
    this.since = performance.now();
  }
}
