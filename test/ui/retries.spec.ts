import { describe, expect, it } from 'vitest';
import { ApiError } from '../../ui/src/api/errors.js';
import { withRetries, waitingSince } from '../../ui/src/api/retries.js';

describe('withRetries', () => {
  /** A call that fails this number of times, then answers; with the number of calls and the pauses between them in ms. */
  function failing(times: number, error: () => Error) {
    const pauses: number[] = [];
    let calls = 0;
    return {
      ask: (): Promise<string> => (++calls > times ? Promise.resolve('answer') : Promise.reject(error())),
      pause: (ms: number): Promise<void> => {
        expect(waitingSince.get()).not.toBeNull();
        pauses.push(ms);
        return Promise.resolve();
      },
      pauses,
      calls: (): number => calls,
    };
  }

  it.each([
    ['503', () => new ApiError('service_unavailable', 503)],
    ['no connection', () => new ApiError('offline', 0)],
  ])('retries after 1, 2, 4 and 8 seconds: %s', async (_, error) => {
    const { ask, pause, pauses, calls } = failing(4, error);
    expect(await withRetries(ask, undefined, pause)).toBe('answer');
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(calls()).toBe(5);
    expect(waitingSince.get()).toBeNull();
  });

  it('waits as long as ratelimited requires', async () => {
    const { ask, pause, pauses } = failing(1, () => new ApiError('ratelimited', 429, [], 7));
    expect(await withRetries(ask, undefined, pause)).toBe('answer');
    expect(pauses).toEqual([7_000]);
  });

  it('uses a timer by default', async () => {
    const { ask } = failing(1, () => new ApiError('service_unavailable', 503));
    const begun = performance.now();
    expect(await withRetries(ask)).toBe('answer');
    expect(performance.now() - begun).toBeGreaterThan(990);
  });

  it('fails in the end, and at once on a permanent error or after an abort', async () => {
    const forEver = failing(99, () => new ApiError('offline', 0));
    await expect(withRetries(forEver.ask, undefined, forEver.pause)).rejects.toMatchObject({ code: 'offline' });
    expect(forEver.calls()).toBe(5);
    const wrong = failing(99, () => new ApiError('channel_not_found', 200));
    await expect(withRetries(wrong.ask, undefined, wrong.pause)).rejects.toMatchObject({ code: 'channel_not_found' });
    expect(wrong.calls()).toBe(1);
    const left = failing(99, () => new ApiError('offline', 0));
    await expect(withRetries(left.ask, AbortSignal.abort(), left.pause)).rejects.toMatchObject({ code: 'offline' });
    expect(left.calls()).toBe(1);
    expect(waitingSince.get()).toBeNull();
  });
});
