import pg from 'pg';

/*
 * How values are parsed, set once for the process by importing this file. The driver's own parsers handle every format
 * a server might send; these are several times as fast for the formats of this schema, and pages consist of hundreds of
 * such values.
 */

const { types } = pg;
const INT8_ARRAY = 1016 as number;
const UUID_ARRAY = 2951 as number;
const TEXT_ARRAY = 1009 as number;

/** Parses `{a,b}` without quotes, escapes or nulls, as arrays of ids and numbers are written. */
const plainItems = (text: string): string[] => (text === '{}' ? [] : text.slice(1, -1).split(','));

// Microseconds and counters are bigint in the database and fit a JavaScript number (2^53 µs is the year 2255).
types.setTypeParser(types.builtins.INT8, Number);
types.setTypeParser(INT8_ARRAY, (text: string) => plainItems(text).map(Number));
types.setTypeParser(UUID_ARRAY, plainItems);

const anyTexts = types.getTypeParser(TEXT_ARRAY) as (text: string) => string[];
types.setTypeParser(TEXT_ARRAY, (text: string) => (text === '{}' ? [] : anyTexts(text)));

const anyMoment = types.getTypeParser(types.builtins.TIMESTAMPTZ) as (text: string) => Date;
/** `2026-01-02 03:04:05.678+00` is ISO 8601 except for the space and the missing minutes of the offset. */
types.setTypeParser(types.builtins.TIMESTAMPTZ, (text: string) => {
  const hoursOnly = text.charCodeAt(text.length - 3);
  const moment = new Date(`${text.slice(0, 10)}T${text.slice(11)}${hoursOnly === 43 || hoursOnly === 45 ? ':00' : ''}`);
  return Number.isNaN(moment.getTime()) ? anyMoment(text) : moment;
});
