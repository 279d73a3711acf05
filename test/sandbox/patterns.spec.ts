import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { readMatcher } from '../../src/kernel/matchers/matcher.js';
import { matches } from '../../src/kernel/matchers/matches.js';
import { MAX_PROGRAM, priceOf, programOf } from '../../src/kernel/matchers/pattern.js';

/** What patterns consist of, and what could be mistaken for it. */
const PARTS =
  String.raw`a b é 字 . ^ $ | ( ) (?: (?i) (?i: (?P<n> (?<m> [ ] [^ [] [^] ]] [a-z] [[:alpha:]] [:alpha:] [: :] - [\d- -[ ]- \ \\ \( \) \[
  \] \{ \} \d \w \b \z \pL \PN \p{Greek} \x41 \x{1F600} \Q \E { } * + ? *? {2} {0} {3,} {1,4} {10} {20} {00} {, , 7 E Q p`
    .split(/\s+/)
    .filter((part) => part !== '');

/** docs/reference/sandboxes.md#matchers */
describe('a pattern of $matches', () => {
  it('is priced at no less than its program has instructions', () => {
    let valid = 0;
    const parts = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 14 });
    fc.assert(
      fc.property(parts, (all) => {
        const pattern = all.join('');
        let size: number;
        try {
          if (priceOf(pattern) > 50_000) return;
          size = RE2JS.compile(pattern).programSize();
        } catch {
          return;
        }
        valid++;
        expect(priceOf(pattern), pattern).toBeGreaterThanOrEqual(size);
      }),
      { numRuns: 20_000 },
    );
    expect(valid).toBeGreaterThan(2_000);
  });

  it.each(
    Object.entries({
      'of an id': '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
      'of a sentence': String.raw`^<@U[A-Z0-9]{8,}> deployed \d+ builds? to (?:staging|production)(?i: within (?P<s>\d{1,3}) s)\.$`,
      'of any thousand characters': '.{0,1000}',
      'of names': String.raw`^\p{Lu}\p{L}*(?: \p{Lu}\p{L}*){0,3}$`,
      'of a thousand characters': 'x'.repeat(1_000),
    }),
  )('%s is taken', (_name, pattern) => {
    expect(priceOf(pattern)).toBeLessThan(MAX_PROGRAM);
    expect(programOf(pattern).test('')).toBe(RE2JS.compile(pattern).test(''));
  });

  it.each(
    Object.entries({
      'that repeats a long text': `(?:${'[a-z]'.repeat(150)}){1000}`,
      'that repeats repetitions': '((x{30}){30}){30}',
      'of many classes of letters': '\\pL'.repeat(300),
    }),
  )('%s is not built', (_name, pattern) => {
    expect(() => readMatcher({ text: { $matches: pattern } })).toThrow('where.text.$matches: pattern_too_large');
  });

  it('counts with the others of its matcher', () => {
    const patterns = (count: number): object[] =>
      Array.from({ length: count }, (_, n) => ({ $matches: `[ab]{400}${n}` }));
    expect(() => readMatcher({ text: { $or: patterns(3) } })).not.toThrow();
    expect(() => readMatcher({ text: { $or: patterns(7) } })).toThrow('where.text.$or[3].$matches: pattern_too_large');
  });

  it('does not look through a text that is too long for it, however many texts there are', () => {
    const matcher = readMatcher({ $any: { $matches: 'a[^c]{401}(?:d|e)$' } });
    const short = `${'ab'.repeat(300)}d`;
    expect(matches(matcher, [short])).toBe(true);
    const began = performance.now();
    expect(matches(matcher, ['ab'.repeat(1_000_000), short])).toBe(false);
    expect(
      matches(
        matcher,
        Array.from({ length: 20_000 }, () => 'ab'.repeat(50)),
      ),
    ).toBe(false);
    expect(performance.now() - began).toBeLessThan(500);
    expect(matches(matcher, [short])).toBe(true);
  });

  it('is compiled once', () => {
    expect(programOf('o{2}nce')).toBe(programOf('o{2}nce'));
  });
});
