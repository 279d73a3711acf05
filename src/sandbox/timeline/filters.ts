import { RestError } from '../../kernel/http/http-error.js';
import { MatcherError } from '../../kernel/matchers/matcher-error.js';
import { isObject, namesIn, readMatcher, type Matcher } from '../../kernel/matchers/matcher.js';
import { bare, matches, type Aliases } from '../../kernel/matchers/matches.js';
import { parseIsoDate } from '../../kernel/text/iso-date.js';
import { requireSeq, seqOf } from './cursor.js';
import type { Entry } from './entry.js';
import { aboutOf, fieldsOf } from './shape.js';

export const KINDS = [
  'call',
  'event',
  'delivery',
  'fault',
  'reset',
  'seed',
  'snapshot',
  'clock',
  'note',
  'received',
  'install',
  'uninstall',
  'script',
];
export const CALLERS = ['bot', 'user', 'app', 'jwt', 'api_key', 'webhook', 'client', 'browser'];

/** The query of a timeline. */
export interface Filters {
  readonly kinds: readonly string[] | null;
  /** Positions after this one. */
  readonly after: number | 'now' | 'mark' | null;
  readonly before: number | null;
  readonly since: Date | null;
  readonly until: Date | null;
  readonly where: Matcher | null;
  readonly text: string | null;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly view: 'full' | 'summary';
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

type Query = Readonly<Record<string, unknown>>;

const LISTS = ['product', 'method', 'app_id', 'caller', 'user', 'channel', 'ok', 'error', 'client'];

/**
 * Parses the query of the routes that read a timeline.
 * @throws RestError 400 with the fault
 */
export function readFilters(query: Query): Filters {
  const lists: Record<string, string[]> = {};
  for (const name of LISTS) {
    const list = listOf(query, name);
    if (list) lists[name] = list;
  }
  requireKnown(lists['product'], 'product', ['chat', 'tracker']);
  requireKnown(lists['caller'], 'caller', CALLERS);
  requireKnown(lists['ok'], 'ok', ['true', 'false']);
  const kinds = listOf(query, 'kind') ?? null;
  requireKnown(kinds, 'kind', KINDS);
  const since = textOf(query, 'since');
  const after = textOf(query, 'after');
  const sinceSeq = since === undefined || since === 'mark' ? undefined : seqOf(since);
  return {
    kinds,
    lists,
    after:
      after === 'now'
        ? 'now'
        : after !== undefined && after !== ''
          ? requireSeq(after)
          : since === 'mark'
            ? 'mark'
            : (sinceSeq ?? null),
    before: textOf(query, 'before') === undefined ? null : requireSeq(String(query['before'])),
    since: since === undefined || since === 'mark' || sinceSeq !== undefined ? null : dateOf(since, 'since'),
    until: textOf(query, 'until') === undefined ? null : dateOf(String(query['until']), 'until'),
    where: whereOf(textOf(query, 'where')),
    text: textOf(query, 'text') ?? null,
    view: oneOf(query, 'view', ['full', 'summary'] as const),
    order: oneOf(query, 'order', ['asc', 'desc'] as const),
    limit: limitOf(textOf(query, 'limit')),
  };
}

/** Names in the filters that may have to be resolved. */
export function namesOf(filters: Filters): string[] {
  const names = filters.where ? [...namesIn(filters.where)] : [];
  return [...names, ...(filters.lists['channel'] ?? []), ...(filters.lists['user'] ?? [])];
}

/** Whether an entry matches, apart from its position. */
export function passes(filters: Filters, entry: Entry, aliases: Aliases): boolean {
  const { kinds, since, until, lists, where, text } = filters;
  if (kinds && !kinds.includes(entry.kind)) return false;
  if (since && entry.at < since.toISOString()) return false;
  if (until && entry.at > until.toISOString()) return false;
  for (const name in lists) if (!passesList(name, lists[name] as string[], entry, aliases)) return false;
  if (text !== null && !JSON.stringify(entry).includes(JSON.stringify(text).slice(1, -1))) return false;
  return where === null || matches(where, entry, aliases);
}

/** Lists that are compared with one stored field of a call. */
const HEAD_LISTS = ['product', 'ok', 'error', 'client'];

/** Patterns that the stored fields of every matching call contain; other calls may contain them too. Null: none. */
export function headsOf({ lists }: Filters): string[] | null {
  const heads = HEAD_LISTS.filter((name) => lists[name]).map((name) => {
    const values = (lists[name] as readonly string[]).map((value) => (name === 'ok' ? value : JSON.stringify(value)));
    return `"${name}":(${values.map((value) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`;
  });
  return heads.length === 0 ? null : heads;
}

function passesList(name: string, wanted: readonly string[], entry: Entry, aliases: Aliases): boolean {
  const caller = fieldsOf(entry['caller']);
  const has = (...values: unknown[]): boolean =>
    values.some((value) => typeof value === 'string' && wanted.includes(value));
  const goesBy = (...values: unknown[]): boolean =>
    values.some(
      (value) =>
        typeof value === 'string' &&
        wanted.some((one) => bare(one) === bare(value) || aliases.get(one)?.has(bare(value)) === true),
    );
  switch (name) {
    case 'method': {
      const methods = [entry['method'], ...((entry['methods'] as unknown[] | undefined) ?? [])];
      return methods.some((method) => typeof method === 'string' && wanted.some((one) => isMethod(one, method)));
    }
    case 'app_id':
      return has(caller['app_id'], entry['app_id']);
    case 'caller':
      return has(caller['kind']);
    case 'ok':
      // a delivery without an error has arrived
      return wanted.includes(String(entry['ok'] ?? (entry.kind === 'delivery' ? entry['error'] === undefined : '')));
    case 'user':
      return goesBy(aboutOf(entry).user, caller['user'], caller['user_id'], entry['user']);
    case 'channel':
      return goesBy(aboutOf(entry).channel, fieldsOf(entry['args'])['channel'], entry['channel']);
    default:
      return has(entry[name]);
  }
}

/** `chat.postMessage`, `chat.*`, `oauth/*` or `*`. */
export const isMethod = (wanted: string, method: string): boolean =>
  wanted === '*' || wanted === method || (/[./]\*$/.test(wanted) && method.startsWith(wanted.slice(0, -1)));

/**
 * A matcher in a query.
 * @throws RestError 400 with its path
 */
export function whereOf(source: string | undefined): Matcher | null {
  if (source === undefined || source === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw new RestError(400, 'where: must be JSON');
  }
  if (!isObject(value)) throw new RestError(400, 'where: must be an object');
  return matcherOf(value, 'where');
}

/** The same in a body, whose matchers are JSON already. */
export function matcherOf(value: unknown, path: string): Matcher {
  try {
    return readMatcher(value, path);
  } catch (error) {
    if (error instanceof MatcherError) throw new RestError(400, error.message);
    throw error;
  }
}

const textOf = (query: Query, name: string): string | undefined => {
  const value = query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new RestError(400, `${name}: must stand once`);
  return value;
};

function listOf(query: Query, name: string): string[] | undefined {
  const list = textOf(query, name)
    ?.split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return list && list.length > 0 ? list : undefined;
}

function requireKnown(list: readonly string[] | null | undefined, name: string, known: readonly string[]): void {
  const odd = list?.find((item) => !known.includes(item));
  if (odd !== undefined) throw new RestError(400, `${name}: must be of ${known.join(', ')}`);
}

function oneOf<T extends string>(query: Query, name: string, known: readonly [T, ...T[]]): T {
  const value = textOf(query, name);
  if (value === undefined) return known[0];
  if (!known.includes(value as T)) throw new RestError(400, `${name}: must be one of ${known.join(', ')}`);
  return value as T;
}

function dateOf(value: string, name: string): Date {
  const date = parseIsoDate(value);
  if (!date) throw new RestError(400, `${name}: must be an ISO time${name === 'since' ? ', mark or a cursor' : ''}`);
  return date;
}

function limitOf(value: string | undefined): number {
  if (value === undefined) return 100;
  const limit = Number(value);
  if (!/^\d+$/.test(value) || limit < 1 || limit > 1_000)
    throw new RestError(400, 'limit: must be a number from 1 to 1000');
  return limit;
}
