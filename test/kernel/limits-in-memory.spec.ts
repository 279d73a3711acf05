import { describe, expect, it } from 'vitest';
import { MemoryLimits } from '../../src/kernel/limits/memory-limits.js';
import { bucket, window } from './limits-model.js';
import { StillClock } from './limits-stores.js';

describe('MemoryLimits', () => {
  it('removes expired keys without a timer', async () => {
    const clock = new StillClock();
    const limits = new MemoryLimits(clock);
    let most = 0;
    for (let i = 0; i < 20_000; i++) {
      await limits.take(`w${i}`, window(5, 1_000));
      await limits.take(`b${i}`, bucket(5, 5));
      clock.advance(10); // 100 windows and 20 buckets exist at a time
      most = Math.max(most, limits.size);
    }
    expect(most).toBeLessThan(300);
  });
});
