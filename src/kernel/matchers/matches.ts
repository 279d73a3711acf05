import type { RE2JS } from 're2js';
import { fieldPath, isObject, type Matcher, type Test } from './matcher.js';

/**
 * Equivalents of values at fields of channels or people: ids and bare names, by each value as written. A value without
 * an entry only equals itself.
 */
export type Aliases = ReadonlyMap<string, ReadonlySet<string>>;

export const NO_ALIASES: Aliases = new Map();

/** A path at which a value differs from the matcher. */
export interface Difference {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Differences of one value that are reported, at most. */
const MAX_DIFFERENCES = 20;

/** Characters times instructions that the patterns of a matcher may take for one value: some 10 ms at the worst. */
const MAX_PATTERN_WORK = 1_000_000;

/** What is left of it for the value that is being looked at. */
let left = 0;

/** Whether a JSON value matches; undefined stands for an absent field. */
export function matches(matcher: Matcher, actual: unknown, aliases: Aliases = NO_ALIASES): boolean {
  left = MAX_PATTERN_WORK;
  return fits(matcher, actual, aliases);
}

function fits(matcher: Matcher, actual: unknown, aliases: Aliases): boolean {
  switch (matcher.kind) {
    case 'value':
      return isSame(matcher.value, actual, matcher.named, aliases);
    case 'object':
      return isObject(actual) && matcher.fields.every(([key, field]) => fits(field, own(actual, key), aliases));
    case 'array':
      return (
        Array.isArray(actual) &&
        actual.length === matcher.items.length &&
        matcher.items.every((item, i) => fits(item, actual[i], aliases))
      );
    case 'operators':
      return matcher.tests.every((test) => holds(test, actual, aliases));
  }
}

/** Where and how a value differs from the matcher; empty when it matches. */
export function differences(matcher: Matcher, actual: unknown, aliases: Aliases = NO_ALIASES, path = ''): Difference[] {
  const found: Difference[] = [];
  left = MAX_PATTERN_WORK;
  collect(matcher, actual, aliases, path, found);
  return found;
}

function collect(matcher: Matcher, actual: unknown, aliases: Aliases, path: string, found: Difference[]): void {
  if (found.length >= MAX_DIFFERENCES) return;
  if (matcher.kind === 'object' && isObject(actual)) {
    for (const [key, field] of matcher.fields) collect(field, own(actual, key), aliases, fieldPath(path, key), found);
  } else if (matcher.kind === 'array' && Array.isArray(actual) && actual.length === matcher.items.length) {
    matcher.items.forEach((item, i) => collect(item, actual[i], aliases, `${path}[${i}]`, found));
  } else if (matcher.kind === 'operators' && matcher.tests.length > 1) {
    for (const test of matcher.tests) {
      if (!holds(test, actual, aliases)) {
        found.push({ path, expected: { [test.operator]: test.operand }, actual: actual ?? null });
      }
    }
  } else if (!fits(matcher, actual, aliases)) {
    found.push({ path, expected: sourceOf(matcher), actual: actual ?? null });
  }
}

/** The number of tests in a matcher, to relate the number of differences to. */
export function weightOf(matcher: Matcher): number {
  if (matcher.kind === 'object') return matcher.fields.reduce((sum, [, field]) => sum + weightOf(field), 0) || 1;
  if (matcher.kind === 'array') return matcher.items.reduce((sum, item) => sum + weightOf(item), 0) || 1;
  return matcher.kind === 'operators' ? matcher.tests.length : 1;
}

/** The JSON from which a matcher was parsed. */
export function sourceOf(matcher: Matcher): unknown {
  switch (matcher.kind) {
    case 'value':
      return matcher.value;
    case 'object':
      return Object.fromEntries(matcher.fields.map(([key, field]) => [key, sourceOf(field)]));
    case 'array':
      return matcher.items.map(sourceOf);
    case 'operators':
      return matcher.source;
  }
}

function holds(test: Test, actual: unknown, aliases: Aliases): boolean {
  const { operand } = test;
  const same = (expected: unknown): boolean => isSame(expected, actual, test.named, aliases);
  const inner = (value: unknown): boolean => fits((test.matchers as readonly Matcher[])[0] as Matcher, value, aliases);
  switch (test.operator) {
    case '$eq':
      return same(operand);
    case '$ne':
      return !same(operand);
    case '$gt':
      return compare(actual, operand, (order) => order > 0);
    case '$gte':
      return compare(actual, operand, (order) => order >= 0);
    case '$lt':
      return compare(actual, operand, (order) => order < 0);
    case '$lte':
      return compare(actual, operand, (order) => order <= 0);
    case '$in':
      return (operand as unknown[]).some(same);
    case '$nin':
      return !(operand as unknown[]).some(same);
    case '$exists':
      return (actual !== undefined) === operand;
    case '$type':
      return actual !== undefined && typeOf(actual) === operand;
    case '$contains':
      if (typeof actual === 'string') return typeof operand === 'string' && actual.includes(operand);
      return Array.isArray(actual) && actual.some(inner);
    case '$startsWith':
      return typeof actual === 'string' && actual.startsWith(operand as string);
    case '$endsWith':
      return typeof actual === 'string' && actual.endsWith(operand as string);
    case '$matches':
      return typeof actual === 'string' && test.pattern !== undefined && isFound(test.pattern, actual);
    case '$any':
      return Array.isArray(actual) && actual.some(inner);
    case '$all':
      return Array.isArray(actual) && actual.every(inner);
    case '$none':
      return Array.isArray(actual) && !actual.some(inner);
    case '$size':
      return Array.isArray(actual) && inner(actual.length);
    case '$not':
      return !inner(actual);
    case '$or':
      return (test.matchers ?? []).some((matcher) => fits(matcher, actual, aliases));
    case '$and':
      return (test.matchers ?? []).every((matcher) => fits(matcher, actual, aliases));
  }
}

/** A text that is too long for its pattern is not looked through: it does not match. */
function isFound(pattern: RE2JS, text: string): boolean {
  left -= pattern.programSize() * text.length;
  return left >= 0 && pattern.test(text);
}

/** Compares numbers numerically and strings by characters; other values have no order. */
function compare(actual: unknown, operand: unknown, holdsFor: (order: number) => boolean): boolean {
  if (typeof actual === 'number' && typeof operand === 'number') return holdsFor(actual - operand);
  if (typeof actual !== 'string' || typeof operand !== 'string') return false;
  return holdsFor(actual < operand ? -1 : actual > operand ? 1 : 0);
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

const own = (value: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined;

function isSame(expected: unknown, actual: unknown, named: boolean, aliases: Aliases): boolean {
  if (expected === actual) return true;
  if (typeof expected === 'string' && typeof actual === 'string') {
    return named && (bare(expected) === bare(actual) || aliases.get(expected)?.has(bare(actual)) === true);
  }
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      expected.length === actual.length &&
      expected.every((item, i) => isSame(item, actual[i], named, aliases))
    );
  }
  if (!isObject(expected) || !isObject(actual)) return false;
  const keys = Object.keys(expected);
  return (
    keys.length === Object.keys(actual).length &&
    keys.every((key) => Object.hasOwn(actual, key) && isSame(expected[key], actual[key], named, aliases))
  );
}

/** A name without its `#` or `@`. */
export const bare = (value: string): string => value.replace(/^[#@]/, '');
