/** `before:`, `after:`, `on:` and `during:` of search.messages: days, weeks, months and years, all UTC. */

/** Microseconds since 1970, UTC: `from` inclusive, `to` exclusive; an absent end is open. */
export interface TimeRange {
  from?: number;
  to?: number;
}

const MICROS = 1000;
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** The range of a modifier with this value; undefined when the value is not a time. `now` in microseconds. */
export function timeRange(
  modifier: 'before' | 'after' | 'on' | 'during',
  value: string,
  now: number,
): TimeRange | undefined {
  const today = new Date(Math.floor(now / MICROS));
  const word = value.toLowerCase();
  const whole = dayOf(word, today) ?? (modifier === 'during' ? periodOf(word, today) : undefined);
  if (!whole) return undefined;
  if (modifier === 'before') return { to: whole.from };
  if (modifier === 'after') return { from: whole.to };
  return whole;
}

type Period = Required<TimeRange>;

function dayOf(word: string, now: Date): Period | undefined {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (word === 'today') return period([year, month, day], [year, month, day + 1]);
  if (word === 'yesterday') return period([year, month, day - 1], [year, month, day]);
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(word);
  if (!match) return undefined;
  const [y, m, d] = [Number(match[1]), Number(match[2]) - 1, Number(match[3])];
  const start = new Date(utc(y, m, d));
  // The 31st of a shorter month would silently be another day.
  if (m > 11 || start.getUTCMonth() !== m || start.getUTCDate() !== d) return undefined;
  return period([y, m, d], [y, m, d + 1]);
}

/** Values that only `during:` accepts. */
function periodOf(word: string, now: Date): Period | undefined {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const ofMonth = (y: number, m: number) => period([y, m, 1], [y, m + 1, 1]);
  const ofYear = (y: number) => period([y, 0, 1], [y + 1, 0, 1]);
  if (word === 'week') {
    const monday = day - ((now.getUTCDay() + 6) % 7);
    return period([year, month, monday], [year, month, monday + 7]);
  }
  if (word === 'month') return ofMonth(year, month);
  if (word === 'year') return ofYear(year);
  const match = /^(\d{4})(?:-(\d{2}))?$/.exec(word);
  if (match) {
    if (match[2] === undefined) return ofYear(Number(match[1]));
    const m = Number(match[2]) - 1;
    return m >= 0 && m < 12 ? ofMonth(Number(match[1]), m) : undefined;
  }
  const named = word.length < 3 ? -1 : MONTHS.findIndex((name) => name === word || name.slice(0, 3) === word);
  if (named < 0) return undefined;
  return ofMonth(named > month ? year - 1 : year, named);
}

type Ymd = [year: number, month: number, day: number];

function period(from: Ymd, to: Ymd): Period {
  return { from: utc(...from) * MICROS, to: utc(...to) * MICROS };
}

/** Milliseconds; days and months may lie outside their range. Unlike Date.UTC, the year 26 is not 1926. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

/** What both leave over. */
export function intersection(a: TimeRange, b: TimeRange): TimeRange {
  const from = Math.max(a.from ?? -Infinity, b.from ?? -Infinity);
  const to = Math.min(a.to ?? Infinity, b.to ?? Infinity);
  return { ...(from > -Infinity && { from }), ...(to < Infinity && { to }) };
}
