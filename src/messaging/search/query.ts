import { intersection, type TimeRange, timeRange } from './time-range.js';
import { withoutAt } from '../../kernel/text/names.js';

/** The query grammar of search.messages (docs/METHODS.md), without access to the store: names are not resolved here. */

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
  /** The intersection of all time modifiers. */
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

/** Parses a query. `now` (microseconds) is the reference of `today` and the like; days are UTC. */
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

/** A value that cannot be resolved matches nothing; its negation excludes nothing. */
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
  return userTarget(withoutAt(value));
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
