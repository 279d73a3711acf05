import { buildSchema, GraphQLError, type GraphQLScalarType, parseValue } from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  bindClock,
  DateTime,
  DateTimeOrDuration,
  JSONObject,
  JsonText,
  NotJson,
  TimelessDate,
  TimelessDateOrDuration,
  UUID,
} from '../../../src/tracker/graphql/scalars.js';

const NOW = new Date('2026-03-31T10:00:00.000Z');

function bound(name: string): GraphQLScalarType {
  const schema = buildSchema(
    'scalar DateTime scalar DateTimeOrDuration scalar TimelessDate scalar TimelessDateOrDuration type Query { a: Int }',
  );
  bindClock(schema, () => NOW);
  return schema.getType(name) as GraphQLScalarType;
}

describe('DateTime', () => {
  it.each([
    ['2026', '2026-01-01T00:00:00.000Z'],
    ['2026-05', '2026-05-01T00:00:00.000Z'],
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['2026-01-02T03:04', '2026-01-02T03:04:00.000Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.6789Z', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02T03:04:05.678+02:00', '2026-01-02T01:04:05.678Z'],
    ['2026-01-02T03:04:05+0130', '2026-01-02T01:34:05.000Z'],
    ['2026-01-02T03:04:05-05', '2026-01-02T08:04:05.000Z'],
    ['P3D', '2026-04-03T10:00:00.000Z'],
    ['-P2W1D', '2026-03-16T10:00:00.000Z'],
    ['-P2W', '2026-03-17T10:00:00.000Z'],
    ['P1M', '2026-04-30T10:00:00.000Z'],
    ['-P1M', '2026-02-28T10:00:00.000Z'],
    ['P1Y2M', '2027-05-31T10:00:00.000Z'],
    ['PT36H', '2026-04-01T22:00:00.000Z'],
    ['-PT1M30S', '2026-03-31T09:58:30.000Z'],
  ])('reads %s', (text, moment) => {
    for (const name of ['DateTime', 'DateTimeOrDuration']) {
      expect((bound(name).parseValue(text) as Date).toISOString()).toBe(moment);
      expect((bound(name).parseLiteral(parseValue(JSON.stringify(text)), {}) as Date).toISOString()).toBe(moment);
    }
  });

  it.each([
    '',
    'tomorrow',
    '2026-13-01',
    '2026-02-30',
    '2026-1-2',
    '02/01/2026',
    '2026-01-02T25:00Z',
    '0000',
    'P',
    'PT',
    'P1',
    'P9999999Y',
    '-P3000Y',
    2026,
    true,
    null,
    {},
    ['2026'],
  ])('refuses %j with a GraphQLError', (value) => {
    for (const scalar of [bound('DateTime'), bound('TimelessDate'), DateTimeOrDuration, TimelessDateOrDuration]) {
      expect(() => scalar.parseValue(value)).toThrow(GraphQLError);
    }
  });

  it('writes milliseconds and Z, from a Date and from a database text', () => {
    expect(DateTime.serialize(new Date('2026-01-02T03:04:05.678Z'))).toBe('2026-01-02T03:04:05.678Z');
    expect(DateTime.serialize('2026-01-02T03:04:05+00:00')).toBe('2026-01-02T03:04:05.000Z');
  });

  it('uses the current time of its own schema', () => {
    bound('DateTime');
    const unbound = DateTime.parseValue('P1D');
    expect(Math.abs(unbound.getTime() - Date.now() - 86_400_000)).toBeLessThan(60_000);
  });
});

describe('TimelessDate', () => {
  it.each([
    ['2026-01-02', '2026-01-02'],
    ['2026', '2026-01-01'],
    ['2026-01-02T23:00:00-05:00', '2026-01-03'],
    ['P1M', '2026-04-30'],
    ['-P1D', '2026-03-30'],
  ])('reads %s as a day', (text, day) => {
    expect(bound('TimelessDate').parseValue(text)).toBe(day);
    const read: unknown = bound('TimelessDateOrDuration').parseValue(text);
    expect(read instanceof Date ? read.toISOString().slice(0, 10) : read).toBe(day);
  });

  it('keeps a duration as it was written where it is stored', () => {
    const filter = {
      createdAt: bound('DateTimeOrDuration').parseValue('-P1D'),
      dueDate: bound('TimelessDateOrDuration').parseValue('P1W'),
      updatedAt: bound('DateTime').parseValue('2026-01-02'),
    };
    expect(JSON.parse(JSON.stringify(filter))).toEqual({
      createdAt: '-P1D',
      dueDate: 'P1W',
      updatedAt: '2026-01-02T00:00:00.000Z',
    });
  });

  it('writes the day', () => {
    expect(TimelessDate.serialize('2026-01-02')).toBe('2026-01-02');
    expect(TimelessDate.serialize(new Date('2026-01-02T00:00:00Z'))).toBe('2026-01-02');
  });
});

describe('JSONObject', () => {
  it('reads objects and lists, embedded and as JSON text, and nothing else', () => {
    expect(JSONObject.parseValue({ a: [1] })).toEqual({ a: [1] });
    expect(JSONObject.parseLiteral(parseValue('{ a: [1, { b: $v }] }'), { v: 2 })).toEqual({ a: [1, { b: 2 }] });
    // a list, and either of them as JSON text
    for (const value of ['{"a":[1]}', { a: [1] }]) expect(JSONObject.parseValue(value)).toEqual({ a: [1] });
    expect(JSONObject.parseValue([{ a: 1 }])).toEqual([{ a: 1 }]);
    expect(JSONObject.parseLiteral(parseValue('"{}"'), {})).toEqual({});
    for (const value of [1, null]) expect(() => JSONObject.parseValue(value)).toThrow(GraphQLError);
    for (const text of ['{', '1', 'null']) expect(JSONObject.parseValue(text)).toBeInstanceOf(NotJson);
    expect(JSONObject.parseLiteral(parseValue('"{"'), {})).toBeInstanceOf(NotJson);
    expect(() => JSONObject.parseLiteral(parseValue('1'), {})).toThrow(GraphQLError);
  });

  it('writes embedded values', () => {
    expect(JSONObject.serialize({ a: 1 })).toEqual({ a: 1 });
    expect(JSONObject.serialize([])).toEqual([]);
    expect(JsonText.serialize([{ a: 1 }])).toBe('[{"a":1}]');
  });
});

describe('UUID', () => {
  it('reads upper and lower case as lower case and refuses other texts', () => {
    expect(UUID.parseValue('5B1D7C1E-6A0B-4A57-9D0A-0C2A9A3F6F10')).toBe('5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10');
    for (const value of ['ENG-1', '', 1, null]) expect(() => UUID.parseValue(value)).toThrow(GraphQLError);
  });
});
