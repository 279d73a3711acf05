import { describe, expect, it } from 'vitest';
import { AnswerMeter } from '../../../src/tracker/access/answer-meter.js';

/** docs/reference/limits.md#complexity */
describe('AnswerMeter', () => {
  const row = { text: 'x'.repeat(1_000) };

  it('runs equal concurrent reads once, and counts the answer for each', async () => {
    const meter = new AnswerMeter(5_000);
    let reads = 0;
    const pages = await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        meter.read('the same', async () => {
          reads++;
          return [row];
        }),
      ),
    );
    expect(reads).toBe(1);
    const [first, second, ...others] = pages.map((page) => (page.status === 'fulfilled' ? page.value : 'refused'));
    expect([first, second]).toEqual([[row], [row]]);
    // each gets its own array, as a caller may reverse it
    expect(first).not.toBe(second);
    expect(others.slice(-5)).toEqual(Array(5).fill('refused'));
  });

  it('reads again once a read has finished, as the data may have changed', async () => {
    const meter = new AnswerMeter(5_000);
    let reads = 0;
    const read = () => meter.read('the same', async () => [{ n: ++reads }]);
    expect([await read(), await read()]).toEqual([[{ n: 1 }], [{ n: 2 }]]);
  });

  it('starts no read once the limit is exceeded', async () => {
    const meter = new AnswerMeter(2_500);
    let reads = 0;
    const pages = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) =>
        meter.read(String(n), async () => {
          reads++;
          return [row, row];
        }),
      ),
    );
    expect(pages.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(7);
    expect(reads).toBeLessThan(5);
  });
});
