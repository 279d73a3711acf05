import { describe, expect, it } from 'vitest';
import { closest } from '../../src/kernel/matchers/closest.js';
import { readMatcher } from '../../src/kernel/matchers/matcher.js';
import { differences, matches } from '../../src/kernel/matchers/matches.js';

/** matcher, value, whether they match */
const CASES: [unknown, unknown, boolean][] = [
  ['a', 'a', true],
  ['a', 'b', false],
  [1, 1, true],
  [1, '1', false],
  [null, null, true],
  [null, undefined, false],
  [true, true, true],
  [{ a: 1 }, { a: 1, b: 2 }, true],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{}, {}, true],
  [{}, 'a', false],
  [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }, true],
  [[1, 2], [1, 2], true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[{ a: 1 }], [{ a: 1, b: 2 }], true],
  [{ $eq: 'a' }, 'a', true],
  [{ $eq: { a: 1 } }, { a: 1, b: 2 }, false],
  [{ $ne: 'a' }, 'b', true],
  [{ $ne: 'a' }, 'a', false],
  [{ $gt: 1 }, 2, true],
  [{ $gt: 1 }, 1, false],
  [{ $gte: 1 }, 1, true],
  [{ $lt: 1 }, 0, true],
  [{ $lte: 1 }, 2, false],
  [{ $gt: 1, $lt: 3 }, 2, true],
  [{ $gt: 1, $lt: 3 }, 3, false],
  [{ $gt: 'a' }, 'b', true],
  [{ $gt: 1 }, '2', false],
  [{ $in: ['a', 'b'] }, 'b', true],
  [{ $in: ['a', 'b'] }, 'c', false],
  [{ $nin: ['a', 'b'] }, 'c', true],
  [{ $nin: ['a', 'b'] }, 'a', false],
  [{ a: { $exists: true } }, { a: null }, true],
  [{ a: { $exists: true } }, {}, false],
  [{ a: { $exists: false } }, {}, true],
  [{ $type: 'string' }, 'a', true],
  [{ $type: 'number' }, 1, true],
  [{ $type: 'boolean' }, false, true],
  [{ $type: 'null' }, null, true],
  [{ $type: 'array' }, [], true],
  [{ $type: 'object' }, {}, true],
  [{ $type: 'object' }, [], false],
  [{ $contains: 'ploy' }, 'deployed', true],
  [{ $contains: 'x' }, 'deployed', false],
  [{ $contains: 'a' }, ['a', 'b'], true],
  [{ $contains: { a: 1 } }, [{ a: 1, b: 2 }], true],
  [{ $contains: 'c' }, ['a', 'b'], false],
  [{ $startsWith: 'de' }, 'deployed', true],
  [{ $startsWith: 'ed' }, 'deployed', false],
  [{ $endsWith: 'ed' }, 'deployed', true],
  [{ $endsWith: 'de' }, 'deployed', false],
  [{ $matches: 'd.p' }, 'deployed', true],
  [{ $matches: '^ploy' }, 'deployed', false],
  [{ $matches: '(?i)DEP' }, 'deployed', true],
  [{ $any: { $gt: 1 } }, [1, 2], true],
  [{ $any: { $gt: 2 } }, [1, 2], false],
  [{ $all: { $gt: 0 } }, [1, 2], true],
  [{ $all: { $gt: 1 } }, [1, 2], false],
  [{ $none: { $gt: 2 } }, [1, 2], true],
  [{ $none: { $gt: 1 } }, [1, 2], false],
  [{ $size: 2 }, [1, 2], true],
  [{ $size: { $gte: 3 } }, [1, 2], false],
  [{ $not: { $eq: 1 } }, 2, true],
  [{ $not: 'a' }, 'a', false],
  [{ $or: ['a', 'b'] }, 'b', true],
  [{ $or: ['a', 'b'] }, 'c', false],
  [{ $and: [{ $gt: 1 }, { $lt: 3 }] }, 2, true],
  [{ $and: [{ $gt: 1 }, { $lt: 3 }] }, 4, false],
];

describe('matchers', () => {
  it.each(CASES)('%j of %j: %j', (matcher, value, expected) => {
    expect(matches(readMatcher(matcher), value)).toBe(expected);
    expect(differences(readMatcher(matcher), value).length === 0).toBe(expected);
  });

  it('resolve names to ids only in fields of channels and users', () => {
    const aliases = new Map([['#war-room', new Set(['C01'])]]);
    expect(matches(readMatcher({ channel: '#war-room' }), { channel: 'C01' }, aliases)).toBe(true);
    expect(matches(readMatcher({ channel: { $in: ['#war-room'] } }), { channel: 'C01' }, aliases)).toBe(true);
    expect(matches(readMatcher({ channel: '#war-room' }), { channel: 'C02' }, aliases)).toBe(false);
    expect(matches(readMatcher({ text: '#war-room' }), { text: 'C01' }, aliases)).toBe(false);
  });

  it.each<[unknown, string]>([
    [{ a: { $foo: 1 } }, 'where.a.$foo'],
    [{ a: { $eq: 1, b: 2 } }, 'where.a.b'],
    [{ a: { $matches: '(' } }, 'where.a.$matches'],
    [{ a: { $matches: '(?=a)' } }, 'where.a.$matches'],
    [{ a: { $matches: 'a'.repeat(1_001) } }, 'where.a.$matches'],
    [{ a: { $in: 'b' } }, 'where.a.$in'],
    [{ a: { $exists: 1 } }, 'where.a.$exists'],
    [{ a: { $type: 'text' } }, 'where.a.$type'],
    [{ a: { $or: [{ $foo: 1 }] } }, 'where.a.$or[0].$foo'],
    [{ a: 'b'.repeat(65_536) }, 'where'],
    [JSON.parse(`${'{"a":'.repeat(34)}1${'}'.repeat(34)}`), 'where.a'],
  ])('refuse an invalid matcher with its path (%#)', (matcher, path) => {
    let message = '';
    try {
      readMatcher(matcher);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.startsWith(path), message).toBe(true);
  });

  it('list the differing paths, the closest candidate first', async () => {
    const matcher = readMatcher({ user: 'alice', text: { $contains: 'done' } });
    const near = { user: 'alice', text: 'doing' };
    const far = { user: 'bob', text: 'doing' };
    expect(await closest(matcher, [near, far], new Map())).toEqual([
      { entry: near, differs: [{ path: 'text', expected: { $contains: 'done' }, actual: 'doing' }] },
      { entry: far, differs: [expect.objectContaining({ path: 'user' }), expect.objectContaining({ path: 'text' })] },
    ]);
  });

  it('take linear time with a pattern built for backtracking', () => {
    const began = performance.now();
    expect(matches(readMatcher({ $matches: '^(a+)+$' }), `${'a'.repeat(20_000)}b`)).toBe(false);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
