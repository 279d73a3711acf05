import { describe, expect, it } from 'vitest';
import { formatTs, parseTs } from '../../../src/messaging/store/message-ts.js';

describe('message timestamps', () => {
  it.each([
    ['1767225600', 1767225600000000],
    ['1767225600.1', 1767225600100000],
    ['1767225600.000100', 1767225600000100],
    [1767225600, 1767225600000000],
    [1767225600.25, 1767225600250000],
    ['0', 0],
    [0, 0],
  ])('reads %j', (value, micros) => {
    expect(parseTs(value)).toBe(micros);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '1.',
    '.5',
    '1.1234567',
    '12345678901',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '１',
    '1\n',
    '1\0',
    -1,
    1e21,
    1e-7,
    Number.NaN,
    Infinity,
    null,
    undefined,
    true,
    [],
    ['1'],
    {},
  ])('refuses %j', (value) => {
    expect(parseTs(value)).toBeUndefined();
  });

  it('writes ten digits, a dot and six digits, and reads them back', () => {
    for (const micros of [0, 1, 999_999, 1_000_000, 1767225600000100, Number.MAX_SAFE_INTEGER]) {
      expect(formatTs(micros)).toMatch(/^\d{10}\.\d{6}$/);
      expect(parseTs(formatTs(micros))).toBe(micros);
    }
    expect(formatTs(1767225600000100)).toBe('1767225600.000100');
    expect(formatTs(0)).toBe('0000000000.000000');
  });

  it('formats a bound that lies beyond exactly representable numbers', () => {
    expect(formatTs(parseTs('9999999999.999999')!)).toMatch(/^\d{10}\.\d{6}$/);
  });
});
