import pg from 'pg';
import { describe, expect, it } from 'vitest';
import '../../src/kernel/database/type-parsers.js';

const parse = (type: number, text: string): unknown =>
  (pg.types.getTypeParser(type) as (text: string) => unknown)(text);

describe('values from the driver', () => {
  it.each([
    ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05.678+00', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02 03:04:05.6+00', '2026-01-02T03:04:05.600Z'],
    ['2026-01-02 03:04:05.678999+00', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02 03:04:05.678-03', '2026-01-02T06:04:05.678Z'],
    ['2026-01-02 03:04:05.678+05:30', '2026-01-01T21:34:05.678Z'],
    ['0001-01-01 00:00:00+00', '0001-01-01T00:00:00.000Z'],
  ])('are timestamps: %s', (text, iso) => {
    expect((parse(1184, text) as Date).toISOString()).toBe(iso);
  });

  it('are parsed by the driver itself in rarer formats', () => {
    expect(parse(1184, 'infinity')).toBe(Infinity);
    expect((parse(1184, '12026-01-02 03:04:05+00') as Date).getUTCFullYear()).toBe(12_026);
  });

  it('are numbers and arrays', () => {
    expect(parse(20, '1767225600000000')).toBe(1_767_225_600_000_000);
    expect([parse(1016, '{}'), parse(1016, '{1,2}')]).toEqual([[], [1, 2]]);
    expect([parse(2951, '{}'), parse(2951, '{a,b}')]).toEqual([[], ['a', 'b']]);
    expect([parse(1009, '{}'), parse(1009, '{a,"b,c",NULL}')]).toEqual([[], ['a', 'b,c', null]]);
  });
});
