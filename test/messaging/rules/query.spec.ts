import { describe, expect, it } from 'vitest';
import { highlight } from '../../../src/messaging/search/highlight.js';
import { isEmptyQuery, parseQuery } from '../../../src/messaging/search/query.js';

// A Wednesday.
const NOW = Date.UTC(2026, 1, 18, 13, 45) * 1000;
const micros = (iso: string) => Date.parse(`${iso}T00:00:00Z`) * 1000;
const parse = (text: string) => parseQuery(text, NOW);
const time = (text: string) => {
  const { time: range, nothing } = parse(text);
  return nothing ? 'nothing' : range;
};
const range = (from?: string, to?: string) => ({ ...(from && { from: micros(from) }), ...(to && { to: micros(to) }) });

describe('search terms', () => {
  it('are words, phrases and their negations', () => {
    expect(parse('deploy  "two words"\t-old -"very old" deploy* fo*o -gone* "open end')).toMatchObject({
      terms: ['deploy', 'two words', 'fo*o', 'open end'],
      notTerms: ['old', 'very old', 'gone'],
      nothing: false,
    });
  });

  it('include unknown words with a colon', () => {
    expect(parse('http://x/y to:me :tada: foo:"a b" --x a-b 12:30').terms).toEqual([
      'http://x/y',
      'to:me',
      ':tada:',
      'foo:a b',
      'a-b',
      '12:30',
    ]);
    expect(parse('--x').notTerms).toEqual(['-x']);
  });

  it.each(['', ' ', '""', '-', '"', '-""', '" "', '*', '-*', '\t\n', '- -', '--'])('%j is an empty query', (text) => {
    expect(isEmptyQuery(text)).toBe(true);
  });

  it.each(['a', '-a', '"-"', 'in:', 'has:link', '-is:thread', '---'])('%j is a query', (text) => {
    expect(isEmptyQuery(text)).toBe(false);
  });

  it('are parsed from two megabytes of text', () => {
    for (const text of ['a'.repeat(2e6), '"'.repeat(2e6 + 1), '-'.repeat(2e6), 'in:'.repeat(6e5), '\uFFFD'.repeat(2e6)])
      isEmptyQuery(text);
  });
});

describe('search modifiers', () => {
  it('in: accepts names, ids, mentions and users', () => {
    expect(
      parse(
        'in:#general in:random in:C0GENERAL01 in:D0DIRECT001 in:<#C0GENERAL01|general> in:@ann in:U0ANNUSER01 IN:<@U0ANNUSER01>',
      ).in,
    ).toEqual([
      { kind: 'name', value: 'general' },
      { kind: 'name', value: 'random' },
      { kind: 'id', value: 'C0GENERAL01' },
      { kind: 'id', value: 'D0DIRECT001' },
      { kind: 'id', value: 'C0GENERAL01' },
      { kind: 'userName', value: 'ann' },
      { kind: 'userId', value: 'U0ANNUSER01' },
      { kind: 'userId', value: 'U0ANNUSER01' },
    ]);
    expect(parse('-in:#general x')).toMatchObject({
      in: [],
      notIn: [{ kind: 'name', value: 'general' }],
      terms: ['x'],
    });
  });

  it('from: accepts names, ids, mentions and me', () => {
    expect(parse('from:@ann from:bot from:U0ANNUSER01 from:<@U0ANNUSER01> from:me from:"Ann Lee"').from).toEqual([
      { kind: 'userName', value: 'ann' },
      { kind: 'userName', value: 'bot' },
      { kind: 'userId', value: 'U0ANNUSER01' },
      { kind: 'userId', value: 'U0ANNUSER01' },
      { kind: 'me' },
      { kind: 'userName', value: 'Ann Lee' },
    ]);
    expect(parse('-from:me').notFrom).toEqual([{ kind: 'me' }]);
  });

  it('has: and is: accept their documented values', () => {
    expect(parse('has:link has:reaction has::tada: has::wave::skin-tone-2: -has:link is:thread')).toMatchObject({
      has: [
        { kind: 'link' },
        { kind: 'reaction' },
        { kind: 'emoji', value: 'tada' },
        { kind: 'emoji', value: 'wave::skin-tone-2' },
      ],
      notHas: [{ kind: 'link' }],
      thread: true,
    });
    expect(parse('-is:thread')).toMatchObject({ thread: false, nothing: false });
    expect(parse('is:thread -is:thread').nothing).toBe(true);
  });

  it.each([
    'in:',
    'in:#',
    'from:@',
    'has:',
    'has:pin',
    'has::',
    'is:',
    'is:saved',
    'on:',
    'before:soon',
    'on:2026-02',
    'on:week',
    'on:2026-02-29',
    'on:2026-13-01',
    'on:0000-00-00',
    'during:2026-13',
    'during:ma',
    'after:99999-01-01',
  ])('%s matches nothing, and its negation excludes nothing', (text) => {
    expect(parse(text).nothing).toBe(true);
    expect(parse(`-${text}`).nothing).toBe(false);
  });
});

describe('search dates', () => {
  it('are whole UTC days', () => {
    expect(time('on:2026-02-17')).toEqual(range('2026-02-17', '2026-02-18'));
    expect(time('during:2026-02-17')).toEqual(range('2026-02-17', '2026-02-18'));
    expect(time('before:2026-02-17')).toEqual(range(undefined, '2026-02-17'));
    expect(time('after:2026-02-17')).toEqual(range('2026-02-18'));
    expect(time('on:today')).toEqual(range('2026-02-18', '2026-02-19'));
    expect(time('on:Yesterday')).toEqual(range('2026-02-17', '2026-02-18'));
    expect(time('on:2024-02-29')).toEqual(range('2024-02-29', '2024-03-01'));
    expect(time('on:2026-12-31')).toEqual(range('2026-12-31', '2027-01-01'));
  });

  it.each([
    ['2025-12', '2025-12-01', '2026-01-01'],
    ['2025', '2025-01-01', '2026-01-01'],
    ['february', '2026-02-01', '2026-03-01'],
    ['March', '2025-03-01', '2025-04-01'],
    ['dec', '2025-12-01', '2026-01-01'],
    ['week', '2026-02-16', '2026-02-23'],
    ['month', '2026-02-01', '2026-03-01'],
    ['year', '2026-01-01', '2027-01-01'],
  ])('of during:%s are whole', (word, from, to) => {
    expect(time(`during:${word}`)).toEqual(range(from, to));
  });

  it('begin a week on Monday, also on a Sunday', () => {
    expect(parseQuery('during:week', micros('2026-02-22')).time).toEqual(range('2026-02-16', '2026-02-23'));
  });

  it('narrow each other, and are excluded when negated', () => {
    expect(time('after:2026-02-10 before:2026-02-15 after:2026-02-01')).toEqual(range('2026-02-11', '2026-02-15'));
    expect(time('on:today on:yesterday')).toBe('nothing');
    expect(parse('x -on:today')).toMatchObject({ time: {}, notTimes: [range('2026-02-18', '2026-02-19')] });
  });

  it('do not take the year 26 for 1926', () => {
    expect(time('on:0026-01-01')).toEqual({ from: micros('0026-01-01'), to: micros('0026-01-02') });
  });
});

describe('highlight', () => {
  it('marks every occurrence, whatever its case, and overlapping ones once', () => {
    expect(highlight('Deploy deployed', ['deploy'])).toBe('\uE000Deploy\uE001 \uE000deploy\uE001ed');
    expect(highlight('abcd', ['bc', 'ab', 'abc'])).toBe('\uE000abc\uE001d');
    expect(highlight('aXa', ['a'])).toBe('\uE000a\uE001X\uE000a\uE001');
    expect(highlight('İ ÉTÉ 😀', ['été', '😀'])).toBe('İ \uE000ÉTÉ\uE001 \uE000😀\uE001');
    expect(highlight('plain', [])).toBe('plain');
  });

  it('takes special characters literally', () => {
    expect(highlight('a.b* (c) [d] \\ $ ^ | ? + {e} / -', ['.', '(c)', '[d]', '\\', '{e}', '/', '-', '?'])).toContain(
      '\uE000.\uE001b*',
    );
  });
});
