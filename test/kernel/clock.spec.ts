import { afterEach, describe, expect, it, vi } from 'vitest';
import { Clock } from '../../src/kernel/clock/clock.js';

afterEach(() => void vi.useRealTimers());

describe('the clock of a process', () => {
  it('follows when the clock of the machine is set, or the machine has slept', () => {
    const clock = new Clock();
    for (const ms of [3_600_000, -7_200_000, 900]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
      expect(Math.floor(clock.nowMicros() / 1000)).toBe(Date.now());
      expect(clock.nowMs()).toBe(Date.now());
      vi.useRealTimers();
      const before = Date.now();
      expect(Math.floor(clock.nowMicros() / 1000)).toBeGreaterThanOrEqual(before);
      expect(Math.floor(clock.nowMicros() / 1000)).toBeLessThanOrEqual(Date.now());
    }
  });

  it('has the microseconds within a millisecond', () => {
    const clock = new Clock();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 });
    const seen = Array.from({ length: 2_000 }, () => clock.nowMicros() - Date.now() * 1000);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen[0]).toBeGreaterThanOrEqual(0);
    expect(seen.at(-1)).toBeLessThan(1000);
    expect(new Set(seen).size).toBeGreaterThan(1);
  });
});
