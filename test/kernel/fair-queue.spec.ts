import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/kernel/limits/fair-queue.js';

/** Pieces of work that end when the test ends them, in the order in which they began. */
function slowWork() {
  const begun: { name: string; end: () => void }[] = [];
  const work = (name: string) => (): Promise<void> => new Promise((end) => begun.push({ name, end }));
  const names = (): string[] => begun.map(({ name }) => name);
  return { begun, work, names };
}

describe('the fair queue', () => {
  it('begins at once what fits, and serves the lanes in turn afterwards', async () => {
    const { begun, work, names } = slowWork();
    const queue = new FairQueue<string>({ width: 2, laneWidth: () => 2 });
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map((name) => queue.run(name.charAt(0), work(name)));
    expect(names()).toEqual(['a1', 'a2']);
    for (let n = 0; n < 6; n++) {
      begun[n]?.end();
      await setImmediate();
    }
    expect(names()).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'b2']);
    await Promise.all(all);
    expect([queue.waiting, queue.runningIn('a'), queue.runningIn('b')]).toEqual([0, 0, 0]);
  });

  it('does not let a full lane hold back another one', () => {
    const { work, names } = slowWork();
    const queue = new FairQueue<string>({ width: 3, laneWidth: (key) => (key === 'a' ? 1 : 2) });
    for (const name of ['a1', 'a2', 'b1', 'b2', 'b3']) void queue.run(name.charAt(0), work(name));
    expect(names()).toEqual(['a1', 'b1', 'b2']);
    expect([queue.waitingIn('a'), queue.waitingIn('b')]).toEqual([1, 1]);
  });

  it('refuses a caller when as many as may wait do, but not one that waits already', async () => {
    const { begun, work } = slowWork();
    const queue = new FairQueue({ laneWidth: () => 1, maxWaiting: 1 });
    const caller = {};
    const all = [
      queue.run(1, work('first')),
      queue.run(1, work('second'), caller),
      queue.run(1, work('third'), caller),
    ];
    await expect(queue.run(1, work('refused'))).rejects.toMatchObject({ reason: 'full' });
    all.push(queue.run(2, work('other lane')));
    for (let n = 0; n < 4; n++) {
      begun[n]?.end();
      await setImmediate();
    }
    await Promise.all(all);
  });

  it('refuses what has waited for too long, and gives its turn to the next', async () => {
    const { begun, work, names } = slowWork();
    const queue = new FairQueue({ laneWidth: () => 1, maxWaitMs: 5 });
    const first = queue.run(1, work('first'));
    await expect(queue.run(1, work('late'))).rejects.toMatchObject({ reason: 'late' });
    const next = queue.run(1, work('next'));
    begun[0]?.end();
    await first;
    begun[1]?.end();
    await next;
    expect(names()).toEqual(['first', 'next']);
  });

  it('forgets what is taken out, and goes on after work that fails', async () => {
    const queue = new FairQueue({ laneWidth: () => 1 });
    const failing = queue.run(1, async () => {
      await setImmediate();
      throw new Error('failed');
    });
    let began = false;
    const withdraw = queue.wait(1, () => (began = true));
    withdraw();
    withdraw();
    await expect(failing).rejects.toThrow('failed');
    expect([began, queue.waitingIn(1), queue.runningIn(1)]).toEqual([false, 0, 0]);
  });
});
