import { describe, expect, it } from 'vitest';
import { FillingTurns } from '../../src/kernel/tenancy/filling-turns.js';
import { eventually } from '../support/receiver.js';

/** Work that ends when the test ends it. */
function held(): { work: () => Promise<void>; begun: () => boolean; end: () => void } {
  let isBegun = false;
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  const work = (): Promise<void> => {
    isBegun = true;
    return over;
  };
  return { work, begun: () => isBegun, end };
}

/** Waits until all pending promises have run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** With a longest wait that a slow machine does not reach; fake timers would stop the server that other specs share. */
function patientTurns(): FillingTurns {
  const turns = new FillingTurns();
  turns.maxMs = 60_000;
  return turns;
}

describe('FillingTurns', () => {
  it('runs two fillings at a time, and the third after them', async () => {
    const turns = patientTurns();
    const all = [held(), held(), held()];
    const done = all.map(({ work }) => turns.fill(work));
    await settled();
    expect(all.map(({ begun }) => begun())).toEqual([true, true, false]);
    all[0]!.end();
    await settled();
    expect(all[2]!.begun()).toBe(true);
    for (const { end } of all) end();
    await Promise.all(done);
  });

  it('creates small tenants one at a time, without waiting for large ones', async () => {
    const turns = patientTurns();
    const [large, small] = [
      [held(), held()],
      [held(), held()],
    ];
    const done = [
      ...large.map(({ work }) => turns.make(501, work)),
      turns.make(500, small[0]!.work),
      turns.make(0, small[1]!.work),
    ];
    await settled();
    expect([...large, ...small].map(({ begun }) => begun())).toEqual([true, true, true, false]);
    small[0]!.end();
    await settled();
    expect(small[1]!.begun()).toBe(true);
    for (const { end } of [...large, ...small]) end();
    await Promise.all(done);
  });

  it('starts nothing new during a reset, and a reset at any time', async () => {
    const turns = patientTurns();
    const [first, reset, second] = [held(), held(), held()];
    const done = [turns.fill(first.work)];
    await settled();
    done.push(turns.reset(1, reset.work), turns.fill(second.work));
    await settled();
    expect([first.begun(), reset.begun(), second.begun()]).toEqual([true, true, false]);
    reset.end();
    await settled();
    expect(second.begun()).toBe(true);
    for (const { end } of [first, second]) end();
    await Promise.all(done);
  });

  it('waits for the resets that are running, not for later ones', async () => {
    const turns = patientTurns();
    const [found, later, filling] = [held(), held(), held()];
    const done = [turns.reset(1, found.work), turns.fill(filling.work)];
    await settled();
    done.push(turns.reset(2, later.work));
    await settled();
    expect([later.begun(), filling.begun()]).toEqual([true, false]);
    found.end();
    await settled();
    expect(filling.begun()).toBe(true);
    for (const { end } of [later, filling]) end();
    await Promise.all(done);
  });

  it('waits for resets only for a limited time', async () => {
    const turns = patientTurns();
    turns.maxMs = 1_000;
    const [reset, filling] = [held(), held()];
    const done = [turns.reset(1, reset.work), turns.fill(filling.work)];
    await settled();
    expect(filling.begun()).toBe(false);
    await eventually(filling.begun, 'the longest wait is over');
    for (const { end } of [reset, filling]) end();
    await Promise.all(done);
  });

  it('runs four resets at once, and deletes tenants after them and beside fillings', async () => {
    const turns = patientTurns();
    const resets = [held(), held(), held(), held(), held()];
    const [fillings, ending] = [[held(), held()], held()];
    const done = fillings.map(({ work }) => turns.fill(work));
    await settled();
    done.push(...resets.map(({ work }, i) => turns.reset(i, work)), turns.end(9, ending.work));
    await settled();
    expect(resets.map(({ begun }) => begun())).toEqual([true, true, true, true, false]);
    resets[0]!.end();
    await settled();
    expect([resets[4]!.begun(), ending.begun()]).toEqual([true, false]);
    for (const { end } of resets) end();
    await settled();
    expect(ending.begun()).toBe(true);
    for (const { end } of [...fillings, ending]) end();
    await Promise.all(done);
  });

  it('runs one reset of a tenant at a time, so that its further resets leave the places to others', async () => {
    const turns = patientTurns();
    const [own, other] = [[held(), held(), held()], held()];
    const done = own.map(({ work }) => turns.reset(1, work));
    done.push(turns.reset(2, other.work));
    await settled();
    expect([...own, other].map(({ begun }) => begun())).toEqual([true, false, false, true]);
    for (const { end } of [...own, other]) end();
    await Promise.all(done);
  });

  it('limits the delay while others wait for their tenant, and counts places correctly afterwards', async () => {
    const turns = patientTurns();
    turns.maxMs = 1_000;
    const stuck = [held(), held(), held(), held()];
    const fifth = held();
    const done = [...stuck, fifth].map(({ work }, i) => turns.reset(i, work));
    await settled();
    expect(fifth.begun()).toBe(false);
    await eventually(fifth.begun, 'the longest wait is over');
    for (const { end } of [...stuck, fifth]) end();
    await Promise.all(done);
    const again = [held(), held(), held(), held(), held()];
    const rest = again.map(({ work }, i) => turns.reset(i, work));
    await settled();
    expect(again.map(({ begun }) => begun())).toEqual([true, true, true, true, false]);
    for (const { end } of again) end();
    await Promise.all(rest);
  });

  it('becomes quiet when no work is running, or after the longest wait', async () => {
    const turns = patientTurns();
    const filling = held();
    let isQuiet = false;
    const wait = (mostMs: number): void => {
      isQuiet = false;
      void turns.quiet(mostMs).then(() => (isQuiet = true));
    };
    wait(1_000);
    await settled();
    expect(isQuiet).toBe(true);
    const done = turns.fill(filling.work);
    const began = performance.now();
    wait(300);
    await settled();
    expect(isQuiet).toBe(false);
    await eventually(() => isQuiet, 'the longest wait is over');
    expect(performance.now() - began).toBeGreaterThan(290);
    wait(10_000);
    filling.end();
    await done;
    // a moment after the last work, not at once
    expect(isQuiet).toBe(false);
    await eventually(() => isQuiet, 'a moment without work', 5_000);
  });

  it('continues after work that fails', async () => {
    const turns = patientTurns();
    const fail = (): Promise<never> => Promise.reject(new Error('in vain'));
    await expect(turns.reset(1, fail)).rejects.toThrow('in vain');
    for (let i = 0; i < 3; i++) await expect(turns.fill(fail)).rejects.toThrow('in vain');
    await expect(turns.fill(() => Promise.resolve('filled'))).resolves.toBe('filled');
  });

  it('pauses a creation between two statements for running resets, up to a total time', async () => {
    const turns = patientTurns();
    turns.maxMs = 1_000;
    const pause = turns.givingWay();
    expect(pause()).toBeUndefined();
    const [reset, endless] = [held(), held()];
    const done = [turns.reset(1, reset.work)];
    let goesOn = false;
    const waiting = pause()?.then(() => (goesOn = true));
    await settled();
    expect(goesOn).toBe(false);
    reset.end();
    await waiting;
    expect(pause()).toBeUndefined();
    done.push(turns.reset(2, endless.work));
    const tired = pause();
    await tired;
    expect(pause()).toBeUndefined();
    endless.end();
    await Promise.all(done);
  });
});
