/** The query grammar of search.messages (docs/METHODS.md), without a look at the store: names stay names here. */

/** Which conversation `in:` means. */
export type InTarget =
  | { kind: 'id'; value: string }
  | { kind: 'name'; value: string }
  /** The direct message with that user. */
  | { kind: 'userId'; value: string }
  | { kind: 'userName'; value: string };

/** Which author `from:` means. */
export type FromTarget = { kind: 'userId'; value: string } | { kind: 'userName'; value: string } | { kind: 'me' };

export type HasTarget = { kind: 'link' } | { kind: 'reaction' } | { kind: 'emoji'; value: string };

/** Microseconds since 1970, UTC: `from` inclusive, `to` exclusive; an absent end is open. */
export interface TimeRange {
  from?: number;
  to?: number;
}

/** All of it must hold. Lists called `not…` hold when none of their items applies. */
export interface SearchQuery {
  /** Substrings of the text, case-insensitive, every one of them; distinct, in the order written. */
  terms: string[];
  notTerms: string[];
  /** Any of them; empty means everywhere. */
  in: InTarget[];
  notIn: InTarget[];
  /** Any of them; empty means anybody. */
  from: FromTarget[];
  notFrom: FromTarget[];
  /** What all time modifiers leave over. */
  time: TimeRange;
  notTimes: TimeRange[];
  /** Every one of them. */
  has: HasTarget[];
  notHas: HasTarget[];
  /** True: in a thread; false: not in one. */
  thread?: boolean;
  /** A modifier can't hold (`before:nonsense`), so nothing matches. */
  nothing: boolean;
}

interface Token {
  negated: boolean;
  /** Undefined for a term or phrase. */
  modifier?: Modifier;
  value: string;
}

const MODIFIERS = ['in', 'from', 'before', 'after', 'on', 'during', 'has', 'is'] as const;
type Modifier = (typeof MODIFIERS)[number];

/** Optional `-`, then a phrase, a word with a quoted value, or anything up to white space. A quote may stay open. */
const TOKEN = /(-?)(?:"([^"]*)(?:"|$)|(?:([A-Za-z]+):)"([^"]*)(?:"|$)|(\S+))/gu;

function tokens(text: string): Token[] {
  const found: Token[] = [];
  for (const [, minus, phrase, word, quoted, bare] of text.matchAll(TOKEN)) {
    const negated = minus === '-';
    if (phrase !== undefined) {
      if (phrase.trim() !== '') found.push({ negated, value: phrase });
    } else if (word !== undefined) {
      const modifier = modifierOf(word);
      found.push(modifier ? { negated, modifier, value: quoted! } : { negated, value: `${word}:${quoted}` });
    } else {
      const colon = bare!.indexOf(':');
      const modifier = colon < 0 ? undefined : modifierOf(bare!.slice(0, colon));
      if (modifier) {
        found.push({ negated, modifier, value: bare!.slice(colon + 1) });
      } else {
        const value = bare!.replace(/\*+$/, '');
        // A minus sign by itself is the bare word, since it has nothing to negate.
        if (value !== '' && bare !== '-') found.push({ negated, value });
      }
    }
  }
  return found;
}

function modifierOf(word: string): Modifier | undefined {
  return MODIFIERS.find((modifier) => modifier === word.toLowerCase());
}

/** Whether there is neither a term nor a modifier: `no_query`. */
export function isEmptyQuery(text: string): boolean {
  return tokens(text).length === 0;
}

/** Reads a query. `now` (microseconds) is what `today` and the like are reckoned from; days are UTC. */
export function parseQuery(text: string, now: number): SearchQuery {
  const query: SearchQuery = {
    terms: [],
    notTerms: [],
    in: [],
    notIn: [],
    from: [],
    notFrom: [],
    time: {},
    notTimes: [],
    has: [],
    notHas: [],
    nothing: false,
  };
  for (const token of tokens(text)) add(query, token, now);
  const { from = -Infinity, to = Infinity } = query.time;
  if (from >= to) query.nothing = true;
  return query;
}

function add(query: SearchQuery, { modifier, value, negated }: Token, now: number): void {
  switch (modifier) {
    case undefined: {
      const list = negated ? query.notTerms : query.terms;
      if (!list.includes(value)) list.push(value);
      return;
    }
    case 'in':
      return collect(query, negated, negated ? query.notIn : query.in, inTarget(value));
    case 'from':
      return collect(query, negated, negated ? query.notFrom : query.from, fromTarget(value));
    case 'has':
      return collect(query, negated, negated ? query.notHas : query.has, hasTarget(value));
    case 'is': {
      const wanted = value.toLowerCase() === 'thread' ? !negated : undefined;
      if (wanted === undefined ? !negated : query.thread === !wanted) query.nothing = true;
      else if (wanted !== undefined) query.thread = wanted;
      return;
    }
    default: {
      const range = timeRange(modifier, value, now);
      if (negated || !range) return collect(query, negated, query.notTimes, range);
      query.time = intersection(query.time, range);
    }
  }
}

/** What resolves to nothing matches nothing; the negation of that excludes nothing. */
function collect<T>(query: SearchQuery, negated: boolean, list: T[], target: T | undefined): void {
  if (target !== undefined) list.push(target);
  else if (!negated) query.nothing = true;
}

function inTarget(value: string): InTarget | undefined {
  const mention = /^<([#@])([A-Z0-9]+)(?:\|[^>]*)?>$/.exec(value);
  if (mention) return { kind: mention[1] === '#' ? 'id' : 'userId', value: mention[2]! };
  if (value.startsWith('#')) return value.length > 1 ? { kind: 'name', value: value.slice(1) } : undefined;
  if (value.startsWith('@')) return userTarget(value.slice(1));
  if (/^[CDG][0-9A-Z]{8,}$/.test(value)) return { kind: 'id', value };
  if (/^U[0-9A-Z]{8,}$/.test(value)) return { kind: 'userId', value };
  return value === '' ? undefined : { kind: 'name', value };
}

function fromTarget(value: string): FromTarget | undefined {
  const mention = /^<@([A-Z0-9]+)(?:\|[^>]*)?>$/.exec(value);
  if (mention) return { kind: 'userId', value: mention[1]! };
  if (value.toLowerCase() === 'me') return { kind: 'me' };
  return userTarget(value.startsWith('@') ? value.slice(1) : value);
}

function userTarget(value: string): { kind: 'userId' | 'userName'; value: string } | undefined {
  if (value === '') return undefined;
  return { kind: /^U[0-9A-Z]{8,}$/.test(value) ? 'userId' : 'userName', value };
}

function hasTarget(value: string): HasTarget | undefined {
  const word = value.toLowerCase();
  if (word === 'link' || word === 'reaction') return { kind: word };
  const emoji = /^:([^:].*):$/u.exec(value);
  return emoji ? { kind: 'emoji', value: emoji[1]! } : undefined;
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

/** Undefined when the value names no time. */
function timeRange(modifier: 'before' | 'after' | 'on' | 'during', value: string, now: number): TimeRange | undefined {
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

/** What only `during:` takes. */
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

function intersection(a: TimeRange, b: TimeRange): TimeRange {
  const from = Math.max(a.from ?? -Infinity, b.from ?? -Infinity);
  const to = Math.min(a.to ?? Infinity, b.to ?? Infinity);
  return { ...(from > -Infinity && { from }), ...(to < Infinity && { to }) };
}

/** Marks put around a matched term. */
export const HIGHLIGHT_START = '\uE000';
export const HIGHLIGHT_END = '\uE001';

/** Simple case folding keeps positions, which lower-casing does not. */
function pattern(term: string): RegExp {
  return new RegExp(term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
}

/** Most matches that are marked in one message, and how far into it they are looked for. */
const MOST_MARKED = 200;
const LONGEST_MARKED = 40_000;

/** The text with occurrences of the terms between U+E000 and U+E001; overlapping ones share one pair. */
export function highlight(text: string, terms: readonly string[]): string {
  const searched = text.slice(0, LONGEST_MARKED);
  const ranges: (readonly [number, number])[] = [];
  for (const term of terms) {
    if (ranges.length >= MOST_MARKED) break;
    for (const match of searched.matchAll(pattern(term))) {
      ranges.push([match.index, match.index + match[0].length]);
      if (ranges.length >= MOST_MARKED) break;
    }
  }
  ranges.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  let result = '';
  let done = 0;
  for (let i = 0; i < ranges.length;) {
    const start = ranges[i]![0];
    let end = ranges[i]![1];
    for (i++; i < ranges.length && ranges[i]![0] < end; i++) end = Math.max(end, ranges[i]![1]);
    result += text.slice(done, start) + HIGHLIGHT_START + text.slice(start, end) + HIGHLIGHT_END;
    done = end;
  }
  return result + text.slice(done);
}

/** How many terms and modifiers a query has. */
export const sizeOf = (query: SearchQuery): number =>
  [
    query.terms,
    query.notTerms,
    query.in,
    query.notIn,
    query.from,
    query.notFrom,
    query.notTimes,
    query.has,
    query.notHas,
  ]
    .map((list) => list.length)
    .reduce((a, b) => a + b, 0);
