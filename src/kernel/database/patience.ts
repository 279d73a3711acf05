import type { CallContext } from '../http/call-context.js';
import { deadline } from './deadline.js';

/** After this a call waits no longer for the store, in milliseconds: it is answered within 7 s. */
const PATIENCE_MS = 6_500;
/** What a call that is older waits all the same, so that one which is slow for other reasons can end. */
const LEAST_MS = 500;

/** How long a call may still wait for the store. Work without a call has only the time limits of its statements. */
function patienceOf(call: CallContext | undefined): number {
  if (!call || call.mayTakeLong) return Infinity;
  return Math.max(LEAST_MS, PATIENCE_MS - (performance.now() - call.startedAt));
}

/**
 * Fails as unavailable when the store keeps the call waiting for too long; the work goes on, so that a write may be done
 * nevertheless.
 * @param onOver called then
 */
export function patiently<T>(call: CallContext | undefined, work: Promise<T>, onOver?: () => void): Promise<T> {
  const ms = patienceOf(call);
  if (ms === Infinity) return work;
  return new Promise((resolve, reject) => {
    const waiting = deadline(ms, () => {
      onOver?.();
      reject(new Error('the database did not answer in time'));
    });
    work.then(
      (answer) => {
        waiting.end();
        resolve(answer);
      },
      (error: unknown) => {
        waiting.end();
        reject(error as Error);
      },
    );
  });
}
