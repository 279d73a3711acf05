import { LRUCache } from 'lru-cache';
import type { RE2JS } from 're2js';
import { MatcherError } from './matcher-error.js';
import { MAX_PROGRAM, priceOf, programOf } from './pattern.js';

/** Largest matcher as JSON text, in bytes. */
const MAX_BYTES = 64 * 1024;
const MAX_PATTERN = 1_000;
const MAX_DEPTH = 32;

/** JSON types as `$type` names them. */
const TYPES = ['string', 'number', 'boolean', 'null', 'array', 'object'];

/** Keys that no field has: a matcher with one was meant to do something else than to match. */
const NO_FIELDS = new Set(['__proto__', 'constructor', 'prototype']);

/** Fields whose value is a channel or a person, so that a name stands for an id there. */
const NAMED_FIELDS = new Set(
  `channel channel_id channels user user_id users member members inviter item_user parent_user_id reply_users
   creator author assignee lead actor acted_by as team state`.split(/\s+/),
);

/** A parsed matcher: a tree of tests on a JSON value. */
export type Matcher =
  | { readonly kind: 'value'; readonly value: unknown; readonly named: boolean }
  | { readonly kind: 'object'; readonly fields: readonly (readonly [string, Matcher])[] }
  | { readonly kind: 'array'; readonly items: readonly Matcher[] }
  | { readonly kind: 'operators'; readonly tests: readonly Test[]; readonly source: unknown };

export type Operator = keyof typeof OPERATORS;

/** One operator with its operand as written and as applied. */
export interface Test {
  readonly operator: Operator;
  readonly operand: unknown;
  readonly named: boolean;
  readonly pattern?: RE2JS;
  /** `$not $any $all $none $size $contains`: one; `$and $or`: several. */
  readonly matchers?: readonly Matcher[];
}

type ReadOperator = (operand: unknown, at: Position) => Pick<Test, 'pattern' | 'matchers'> | void;

interface Position {
  readonly path: string;
  readonly depth: number;
  readonly named: boolean;
  /** Instructions that the programs of the matcher's patterns may still have. */
  readonly programs: { left: number };
}

const one: ReadOperator = (operand, at) => ({ matchers: [read(operand, at)] });
const several: ReadOperator = (operand, at) => {
  if (!Array.isArray(operand) || operand.length === 0) throw new MatcherError(at.path, 'must be a list of matchers');
  return { matchers: operand.map((each, i) => read(each, { ...at, path: `${at.path}[${i}]` })) };
};
const list: ReadOperator = (operand, at) => {
  if (!Array.isArray(operand)) throw new MatcherError(at.path, 'must be a list');
};
const text: ReadOperator = (operand, at) => {
  if (typeof operand !== 'string') throw new MatcherError(at.path, 'must be a string');
};
const ordered: ReadOperator = (operand, at) => {
  if (typeof operand !== 'string' && typeof operand !== 'number')
    throw new MatcherError(at.path, 'must be a number or a string');
};
const flag: ReadOperator = (operand, at) => {
  if (typeof operand !== 'boolean') throw new MatcherError(at.path, 'must be true or false');
};
const type: ReadOperator = (operand, at) => {
  if (typeof operand !== 'string' || !TYPES.includes(operand))
    throw new MatcherError(at.path, `must be one of ${TYPES.join(', ')}`);
};
const size: ReadOperator = (operand, at) => {
  if (typeof operand !== 'number' && !isObject(operand)) throw new MatcherError(at.path, 'must be a number');
  return one(operand, at);
};
const pattern: ReadOperator = (operand, at) => {
  if (typeof operand !== 'string') throw new MatcherError(at.path, 'must be a pattern in RE2 syntax');
  if (operand.length > MAX_PATTERN) throw new MatcherError(at.path, `a pattern has at most ${MAX_PATTERN} characters`);
  at.programs.left -= priceOf(operand);
  if (at.programs.left < 0) throw new MatcherError(at.path, 'pattern_too_large');
  try {
    return { pattern: programOf(operand) };
  } catch (error) {
    throw new MatcherError(at.path, `no pattern in RE2 syntax (${(error as Error).message})`);
  }
};
const any: ReadOperator = () => undefined;

/** Every operator, with the parser of its operand. */
export const OPERATORS = {
  $eq: any,
  $ne: any,
  $gt: ordered,
  $gte: ordered,
  $lt: ordered,
  $lte: ordered,
  $in: list,
  $nin: list,
  $exists: flag,
  $type: type,
  $contains: one,
  $startsWith: text,
  $endsWith: text,
  $matches: pattern,
  $any: one,
  $all: one,
  $none: one,
  $size: size,
  $not: one,
  $or: several,
  $and: several,
} satisfies Record<string, ReadOperator>;

/** Parsed matchers, as stored ones are asked for with every call. */
const parsed = new LRUCache<string, Matcher>({
  maxSize: 8 * 1024 * 1024,
  sizeCalculation: (_, json) => 1 + json.length,
});

/**
 * Parses a matcher. `path` is its path in the request (`where`), for error messages.
 * @throws MatcherError
 */
export function readMatcher(source: unknown, path = 'where'): Matcher {
  const json = JSON.stringify(source) ?? '';
  if (Buffer.byteLength(json) > MAX_BYTES) throw new MatcherError(path, 'a matcher has at most 64 KiB');
  const known = parsed.get(json);
  if (known) return known;
  const matcher = read(source, { path, depth: 0, named: false, programs: { left: MAX_PROGRAM } });
  parsed.set(json, matcher);
  return matcher;
}

function read(source: unknown, at: Position): Matcher {
  if (at.depth > MAX_DEPTH) throw new MatcherError(at.path, `a matcher has at most ${MAX_DEPTH} levels`);
  const below = { ...at, depth: at.depth + 1 };
  if (Array.isArray(source)) {
    return {
      kind: 'array',
      items: source.map((item, i) => read(item, { ...below, path: `${at.path}[${i}]` })),
    };
  }
  if (!isObject(source)) return { kind: 'value', value: source, named: at.named };
  const keys = Object.keys(source);
  if (keys.some((key) => key.startsWith('$'))) return readOperators(source, keys, below);
  const foreign = keys.find((key) => NO_FIELDS.has(key));
  if (foreign !== undefined) throw new MatcherError(fieldPath(at.path, foreign), 'no field has this name');
  return {
    kind: 'object',
    fields: keys.map((key) => [
      key,
      read(source[key], { ...below, path: fieldPath(at.path, key), named: NAMED_FIELDS.has(key) }),
    ]),
  };
}

function readOperators(source: Record<string, unknown>, keys: string[], at: Position): Matcher {
  const tests = keys.map((key): Test => {
    const here = { ...at, path: fieldPath(at.path, key) };
    if (!key.startsWith('$')) {
      throw new MatcherError(here.path, 'operators are the only keys of their object');
    }
    if (!Object.hasOwn(OPERATORS, key)) {
      throw new MatcherError(here.path, `no such operator; there are ${Object.keys(OPERATORS).join(' ')}`);
    }
    const operator = key as Operator;
    const operand = source[key];
    return { operator, operand, named: at.named, ...(OPERATORS[operator] as ReadOperator)(operand, here) };
  });
  return { kind: 'operators', tests, source };
}

/** Values at fields of channels and people, which may have to be resolved before this matcher is applied. */
export function namesIn(matcher: Matcher, found = new Set<string>()): Set<string> {
  const take = (value: unknown): void => {
    if (typeof value === 'string') found.add(value);
    else if (Array.isArray(value)) value.forEach(take);
  };
  if (matcher.kind === 'value' && matcher.named) take(matcher.value);
  else if (matcher.kind === 'object') for (const [, field] of matcher.fields) namesIn(field, found);
  else if (matcher.kind === 'array') for (const item of matcher.items) namesIn(item, found);
  else if (matcher.kind === 'operators') {
    for (const test of matcher.tests) {
      if (test.matchers) for (const inner of test.matchers) namesIn(inner, found);
      else if (test.named && test.operator !== '$matches') take(test.operand);
    }
  }
  return found;
}

export const fieldPath = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
