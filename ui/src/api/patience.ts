import { Store } from '../kit/store.js';
import { ApiError } from './errors.js';

/** How long a read waits before it is tried again, where the server does not say. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000];

/** Since when something that was asked for waits for a server that is busy or away; null while nothing does. */
export const waitingSince = new Store<number | null>(null);

let waiting = 0;

/** How long until it is worth another try; undefined where it is not. */
function waitAfter(error: unknown, tries: number): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const usual = WAITS_MS[tries];
  if (usual === undefined) return undefined;
  if (error.status === 429) return (error.retryAfterSeconds ?? 1) * 1_000;
  return error.status === 503 || error.code === 'offline' ? usual : undefined;
}

/** Reads again and again while the server is busy or away. Only for what changes nothing. */
export async function patiently<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      const wait = waitAfter(error, tries);
      if (wait === undefined || signal?.aborted) throw error;
      if (waiting++ === 0) waitingSince.set(Date.now());
      await new Promise((passed) => setTimeout(passed, wait));
      if (--waiting === 0) waitingSince.set(null);
    }
  }
}
