import { describe, expect, it } from 'vitest';
import {
  cleanJson,
  cleanText,
  codePointLength,
  isBlank,
  isLongerThan,
  stripDiacritics,
  truncateText,
} from '../../../src/messaging/wire/text.js';

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

describe('cleanText', () => {
  it('replaces NUL and lone surrogates, and nothing else', () => {
    expect(cleanText('a\0b')).toBe('a\uFFFDb');
    expect(cleanText('a\uD800b\uDC00')).toBe('a\uFFFDb\uFFFD');
    expect(cleanText('a\uD83D\uDE00b \u0001\uFFFE <&>')).toBe('a\uD83D\uDE00b \u0001\uFFFE <&>');
  });
});

describe('cleanJson', () => {
  it('cleans strings and keys at every level', () => {
    const value = JSON.parse('{"a\\u0000":["\\ud800",{"b":"\\u0000"}],"n":1,"t":true,"z":null}') as unknown;
    expect(JSON.stringify(cleanJson(value))).toBe('{"a\uFFFD":["\uFFFD",{"b":"\uFFFD"}],"n":1,"t":true,"z":null}');
  });

  it('keeps __proto__ and constructor as keys', () => {
    const copy = cleanJson(JSON.parse('{"__proto__":{"polluted":1},"constructor":2}')) as Record<string, unknown>;
    expect(Object.keys(copy)).toEqual(['__proto__', 'constructor']);
    expect(copy['polluted']).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('answers undefined for deep nesting, without overflowing the stack', () => {
    expect(cleanJson(nested(100))).toBeDefined();
    expect(cleanJson(nested(101))).toBeUndefined();
    expect(cleanJson(nested(500_000))).toBeUndefined();
    expect(cleanJson({ a: { b: 1 } }, 1)).toBeUndefined();
  });
});

describe('lengths', () => {
  it('count code points', () => {
    expect(codePointLength('aé😀')).toBe(3);
    expect(codePointLength('\uD800a')).toBe(2);
    expect(isLongerThan('😀'.repeat(10), 10)).toBe(false);
    expect(isLongerThan('😀'.repeat(11), 10)).toBe(true);
    expect(isLongerThan('a'.repeat(21), 10)).toBe(true);
  });

  it('truncate without splitting a surrogate pair', () => {
    expect(truncateText('a😀b', 2)).toBe('a😀');
    expect(truncateText('a😀b', 3)).toBe('a😀b');
    expect(truncateText('😀😀', 1)).toBe('😀');
    expect(truncateText('ab', 0)).toBe('');
  });
});

describe('isBlank and stripDiacritics', () => {
  it('recognizes white space', () => {
    expect(isBlank(' \n\t\u00a0\u3000')).toBe(true);
    expect(isBlank('\0')).toBe(false);
  });

  it('removes accents and leaves other scripts unchanged', () => {
    expect(stripDiacritics('Zoë Ångström ñ')).toBe('Zoe Angstrom n');
    expect(stripDiacritics('한글 हिन्दी 日本が')).toBe('한글 हिन्दी 日本が');
  });
});
