import { describe, expect, it } from 'vitest';
import { LongWork } from '../../src/kernel/clock/long-work.js';

describe('LongWork', () => {
  it('runs one piece per turn of the event loop, however many long tasks there are', async () => {
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const pieces: { turn: number; work: number }[] = [];
    const works = Array.from({ length: 3 }, async (_, work) => {
      const long = new LongWork();
      for (let piece = 0; piece < 4; piece++) {
        for (const until = performance.now() + 9; performance.now() < until;);
        await long.pause();
        pieces.push({ turn, work });
      }
    });
    await Promise.all(works);
    isOver = true;
    expect(new Set(pieces.map((piece) => piece.turn)).size).toBe(12);
    // by turns
    expect(pieces.map(({ work }) => work)).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
  });

  it('continues at once while the time for a piece is not used up', async () => {
    let isLater = false;
    setImmediate(() => (isLater = true));
    await new LongWork().pause();
    expect(isLater).toBe(false);
  });

  it('yields after a number of steps, however quick they were', async () => {
    let isLater = false;
    setImmediate(() => (isLater = true));
    const long = new LongWork(3);
    await long.pause(2);
    expect(isLater).toBe(false);
    await long.pause(1);
    expect(isLater).toBe(true);
  });
});
