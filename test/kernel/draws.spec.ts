import { describe, expect, it } from 'vitest';
import { asRequest, byClock, drawing, enterIds, type Due } from '../../src/kernel/clock/request-sandbox.js';
import { idSpaceOf, type IdSpace } from '../../src/kernel/ids/id-space.js';
import { newId, newUuid } from '../../src/kernel/ids/ids.js';
import { SERIALIZATION_FAILURE } from '../../src/kernel/database/sql-states.js';
import { useBareStore } from '../support/bare-store.js';

const ids = idSpaceOf(7) as IdSpace;
const due: Due = { time: { offsetMicros: 0, frozenAt: 1_772_355_640_000_000 }, ids, randomSeed: 1 };
const thing = `scheduled ${ids.inside('Q0123456789')}`;

/** docs/decisions/determinism.md */
describe('what is made up', () => {
  const store = useBareStore();

  it('is the same whoever finds that a thing is due: nobody, a call of the sandbox, one of another', () => {
    const make = (): string[] => byClock(due, thing, () => [newId('C'), newUuid()]);
    const alone = make();
    const others: string[][] = [];
    asRequest(() => {
      enterIds(idSpaceOf(8));
      drawing({ seed: 2, call: 3 }, () => {
        newId('C');
        others.push(make(), make());
      });
    });
    expect(others).toEqual([alone, alone]);
    const later = { ...due, time: { offsetMicros: 0, frozenAt: 1_772_355_641_000_000 } };
    expect(byClock(later, thing, () => newId('C'))).not.toBe(alone[0]);
    // as the callers of another fork know it
    const fork = { ...due, ids: idSpaceOf(9) as IdSpace };
    const same = `scheduled ${fork.ids.inside('Q0123456789')}`;
    expect(fork.ids.outside(byClock(fork, same, () => newId('C')))).toBe(ids.outside(alone[0] as string));
  });

  it('is random where time runs, and where ids are the server’s', () => {
    for (const other of [
      { ...due, time: null },
      { ...due, ids: null },
    ]) {
      const make = (): string => byClock(other, thing, () => newId('C'));
      expect(make()).not.toBe(make());
    }
  });

  it('is the same when a transaction is begun again', async () => {
    const tries: string[][] = [];
    const work = (): Promise<string> =>
      store.process().db.write(async () => {
        tries.push([newId('C'), newUuid()]);
        if (tries.length < 3) throw Object.assign(new Error('deadlock'), { code: SERIALIZATION_FAILURE });
        return newId('C');
      });
    const after = await drawing({ seed: 1, call: 5 }, async () => {
      newId('C');
      return [await work(), newId('C')];
    });
    expect(tries).toHaveLength(3);
    expect(tries[1]).toEqual(tries[0]);
    expect(tries[2]).toEqual(tries[0]);
    const unbroken = drawing({ seed: 1, call: 5 }, () => Array.from({ length: 5 }, () => newId('C')));
    expect(after).toEqual(unbroken.slice(3));
  });
});
