import { GraphQLError, GraphQLScalarType, type GraphQLSchema, Kind, valueFromASTUntyped } from 'graphql';
import { parseIsoDate, withinYears } from '../../kernel/text/iso-date.js';

/** The time that durations are relative to; the server's clock, controllable in tests. */
export type Now = () => Date;

/** What a `JSONObject` holds once parsed. */
export type JsonObject = Record<string, unknown>;

const ISO_DURATION =
  /^([+-])?P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?)?$/;
const UUID_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for the text of a UUID of any version, in either case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID_FORM.test(value);
}

function addDuration(text: string, now: Date): Date | undefined {
  const parts = ISO_DURATION.exec(text);
  if (!parts) return undefined;
  const sign = parts[1] === '-' ? -1 : 1;
  const [years, months, weeks, days, hours, minutes, seconds] = parts.slice(2).map((part) => sign * Number(part ?? 0));
  const moved = new Date(now);
  const dayOfMonth = moved.getUTCDate();
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + years! * 12 + months!);
  // A month after 31 January is the last of February, not 3 March.
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(dayOfMonth, lastDay));
  const wholeDays = weeks! * 7 + days!;
  return withinYears(new Date(moved.getTime() + (((wholeDays * 24 + hours!) * 60 + minutes!) * 60 + seconds!) * 1000));
}

/** A moment that counts from now. As JSON it is what was written, so that it counts from when that is read. */
export class RelativeMoment extends Date {
  constructor(
    at: Date,
    private readonly text: string,
  ) {
    super(at);
  }

  override toJSON(): string {
    return this.text;
  }
}

function parseMoment(name: string, value: unknown, now: Now): Date {
  const date = typeof value === 'string' ? (parseIsoDate(value) ?? addDuration(value, now())) : undefined;
  if (!date) throw new GraphQLError(`${name} cannot represent ${describe(value)}: give an ISO 8601 date or duration.`);
  return date;
}

/** The same, which as JSON is a duration still. */
function parseRelative(name: string, value: unknown, now: Now): Date {
  const date = parseMoment(name, value, now);
  const text = String(value);
  return parseIsoDate(text) ? date : new RelativeMoment(date, text);
}

function serializeMoment(value: unknown): string {
  const date = value instanceof Date ? value : new Date(value as string | number);
  return date.toISOString();
}

function serializeDay(value: unknown): string {
  return value instanceof Date ? value.toISOString().slice(0, 10) : String(value).slice(0, 10);
}

function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** A moment in, `2026-01-02T03:04:05.678Z` out. */
function momentScalar(name: string, now: Now, parse = parseMoment): GraphQLScalarType<Date, string> {
  return new GraphQLScalarType({
    name,
    serialize: serializeMoment,
    parseValue: (value) => parse(name, value, now),
  });
}

/** A calendar day: `YYYY-MM-DD` in and out; input takes all that a DateTime takes, and means that moment's UTC day. */
function dayScalar(name: string, now: Now, parse = parseMoment): GraphQLScalarType<string | Date, string> {
  return new GraphQLScalarType({
    name,
    serialize: serializeDay,
    parseValue: (value) => {
      const moment = parse(name, value, now);
      return moment instanceof RelativeMoment ? moment : moment.toISOString().slice(0, 10);
    },
  });
}

function temporalScalars(now: Now) {
  return {
    DateTime: momentScalar('DateTime', now),
    DateTimeOrDuration: momentScalar('DateTimeOrDuration', now, parseRelative),
    TimelessDate: dayScalar('TimelessDate', now),
    TimelessDateOrDuration: dayScalar('TimelessDateOrDuration', now, parseRelative),
  };
}

/**
 * The scalars of tracker.graphql (docs/reference/tracker.md#inputs). A value that does not fit is a GraphQLError:
 * docs/reference/tracker.md#errors rows 6 and 7.
 */
export const { DateTime, DateTimeOrDuration, TimelessDate, TimelessDateOrDuration } = temporalScalars(() => new Date());

/** A text that is the JSON of no object and no list: refused with the argument that has it (validate.ts). */
export class NotJson {
  constructor(readonly text: string) {}
}

/** An object or a list, embedded or as JSON text. */
function parseJson(name: string, value: unknown): JsonObject | NotJson {
  const parsed = typeof value === 'string' ? jsonIn(value) : value;
  if (typeof parsed === 'object' && parsed !== null) return parsed as JsonObject;
  if (typeof value === 'string') return new NotJson(value);
  throw new GraphQLError(`${name} cannot represent ${describe(value)}: give an object.`);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const jsonScalar = (name: string, serialize: (value: unknown) => unknown) =>
  new GraphQLScalarType<JsonObject | NotJson, unknown>({
    name,
    serialize,
    parseValue: (value) => parseJson(name, value),
    parseLiteral: (node, variables) => {
      const isGiven = node.kind === Kind.OBJECT || node.kind === Kind.LIST || node.kind === Kind.STRING;
      if (isGiven) return parseJson(name, valueFromASTUntyped(node, variables));
      throw new GraphQLError(`${name} cannot represent a literal that is not an object.`, { nodes: node });
    },
  });

/** JSON that goes out embedded. */
export const JSONObject = jsonScalar('JSONObject', (value) => value);

/** JSON that goes out as text: the official client parses it. */
export const JsonText = jsonScalar('JSON', (value) => JSON.stringify(value));

/** Kept in lower case. */
export const UUID = new GraphQLScalarType<string, string>({
  name: 'UUID',
  serialize: String,
  parseValue: (value) => {
    if (isUuid(value)) return value.toLowerCase();
    throw new GraphQLError(`UUID cannot represent ${describe(value)}.`);
  },
});

/** Resolves the durations of this schema's date scalars by the given clock instead of the machine's. */
export function bindClock(schema: GraphQLSchema, now: Now): void {
  for (const [name, bound] of Object.entries(temporalScalars(now))) {
    const scalar = schema.getType(name) as GraphQLScalarType | undefined;
    if (scalar) Object.assign(scalar, { parseValue: bound.parseValue, parseLiteral: bound.parseLiteral });
  }
}
