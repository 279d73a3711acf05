import { Store } from '../kit/store.js';
import { ApiError } from './errors.js';

/** Delay before a read is retried when the server names none. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000];

/** Since when a read has been retried because the server is busy or unreachable; null while none is. */
export const waitingSince = new Store<number | null>(null);

let waiting = 0;

/** Delay before the next try; undefined for an error that a retry does not help. */
function retryDelay(error: unknown, tries: number): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const usual = WAITS_MS[tries];
  if (usual === undefined) return undefined;
  if (error.status === 429) return (error.retryAfterSeconds ?? 1) * 1_000;
  return error.status === 503 || error.code === 'offline' ? usual : undefined;
}

const sleep = (ms: number): Promise<void> => new Promise((passed) => setTimeout(passed, ms));

/** Retries a read while the server is busy or unreachable. Only for calls that change nothing. `pause` gets milliseconds. */
export async function withRetries<T>(ask: () => Promise<T>, signal?: AbortSignal, pause = sleep): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      const wait = retryDelay(error, tries);
      if (wait === undefined || signal?.aborted) throw error;
      if (waiting++ === 0) waitingSince.set(Date.now());
      await pause(wait);
      if (--waiting === 0) waitingSince.set(null);
    }
  }
}
