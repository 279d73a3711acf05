import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../ui/src/api/errors.js';
import { withRetries, waitingSince } from '../../ui/src/api/retries.js';

describe('a read of a server that is busy or away', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Fails so often, then answers; and the moments at which it was asked, in ms. */
  function failing(times: number, error: () => Error): { ask: () => Promise<string>; asked: number[] } {
    const asked: number[] = [];
    const begun = Date.now();
    const ask = (): Promise<string> => {
      asked.push(Date.now() - begun);
      return asked.length > times ? Promise.resolve('answer') : Promise.reject(error());
    };
    return { ask, asked };
  }

  it.each([
    ['503', () => new ApiError('service_unavailable', 503)],
    ['no connection', () => new ApiError('offline', 0)],
  ])('is tried again after 1, 2, 4 and 8 seconds: %s', async (_, error) => {
    const { ask, asked } = failing(4, error);
    const answer = withRetries(ask);
    await vi.advanceTimersByTimeAsync(0);
    expect(waitingSince.get()).not.toBeNull();
    await vi.runAllTimersAsync();
    expect(await answer).toBe('answer');
    expect(asked).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
    expect(waitingSince.get()).toBeNull();
  });

  it('waits as long as a refusal for too many calls says', async () => {
    const { ask, asked } = failing(1, () => new ApiError('ratelimited', 429, [], 7));
    const answer = withRetries(ask);
    await vi.runAllTimersAsync();
    expect(await answer).toBe('answer');
    expect(asked).toEqual([0, 7_000]);
  });

  it('fails at last, at once for what will not change, and for who does not wait any more', async () => {
    const forEver = failing(99, () => new ApiError('offline', 0));
    const refused = withRetries(forEver.ask).catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect(await refused).toMatchObject({ code: 'offline' });
    expect(forEver.asked).toHaveLength(5);
    const wrong = failing(99, () => new ApiError('channel_not_found', 200));
    await expect(withRetries(wrong.ask)).rejects.toMatchObject({ code: 'channel_not_found' });
    expect(wrong.asked).toHaveLength(1);
    const left = failing(99, () => new ApiError('offline', 0));
    await expect(withRetries(left.ask, AbortSignal.abort())).rejects.toMatchObject({ code: 'offline' });
    expect(left.asked).toHaveLength(1);
    expect(waitingSince.get()).toBeNull();
  });
});
