import { RestError } from '../../kernel/http/http-error.js';
import { isObject, type Matcher } from '../matchers/matcher.js';
import { matcherOf } from '../timeline/filters.js';
import { CLASSES, type Class } from './changes.service.js';

/** Most expectations of one request. */
const MOST = 200;

/** One thing that a test expects to have happened. */
export interface Expectation {
  readonly verb: Class | 'called';
  /** An entity, or a method. */
  readonly what: string;
  readonly where: Matcher | null;
  /** A number or a matcher over one; null: at least one. */
  readonly count: Matcher | null;
}

export interface AssertRequest {
  readonly since: string;
  readonly expect: readonly Expectation[];
  readonly nothingElse: readonly string[];
}

/** @throws RestError 400 with the path of what is wrong */
export function readAssert(body: unknown, entities: readonly string[]): AssertRequest {
  if (!isObject(body)) throw new RestError(400, 'invalid_json');
  const { since = 'baseline', expect = [], nothing_else: nothingElse = [] } = body;
  if (typeof since !== 'string' || since === '')
    throw new RestError(400, 'since: must be the id or name of a snapshot, or baseline');
  if (!Array.isArray(expect) || expect.length > MOST)
    throw new RestError(400, `expect: must be a list of at most ${MOST}`);
  if (!Array.isArray(nothingElse)) throw new RestError(400, 'nothing_else: must be a list of entities');
  nothingElse.forEach((each: unknown, i) => demandEntity(each, `nothing_else[${i}]`, entities));
  return {
    since,
    expect: expect.map((each: unknown, i) => readExpectation(each, `expect[${i}]`, entities)),
    nothingElse: [...new Set(nothingElse as string[])],
  };
}

function readExpectation(source: unknown, path: string, entities: readonly string[]): Expectation {
  if (!isObject(source)) throw new RestError(400, `${path}: must be an object`);
  const verbs = [...CLASSES, 'called' as const].filter((verb) => source[verb] !== undefined);
  const [verb] = verbs;
  if (verb === undefined || verbs.length > 1) {
    throw new RestError(400, `${path}: must have one of added, changed, removed, called`);
  }
  const what = source[verb];
  if (verb === 'called') {
    if (typeof what !== 'string' || what === '') throw new RestError(400, `${path}.called: must be a method`);
  } else demandEntity(what, `${path}.${verb}`, entities);
  const unknown = Object.keys(source).find((key) => ![verb, 'where', 'count'].includes(key));
  if (unknown !== undefined) throw new RestError(400, `${path}.${unknown}: no such field`);
  const { where = null } = source;
  if (where !== null && !isObject(where)) throw new RestError(400, `${path}.where: must be an object`);
  return {
    verb,
    what: what as string,
    where: where === null ? null : matcherOf(where, `${path}.where`),
    count: readCount(source['count'] ?? null, `${path}.count`),
  };
}

function readCount(count: unknown, path: string): Matcher | null {
  if (count === null) return null;
  const isWhole = typeof count === 'number' && Number.isInteger(count) && count >= 0;
  const isTests =
    isObject(count) && Object.keys(count).length > 0 && Object.keys(count).every((key) => key.startsWith('$'));
  if (!isWhole && !isTests) throw new RestError(400, `${path}: must be a whole number, or operators such as $lte`);
  return matcherOf(count, path);
}

function demandEntity(value: unknown, path: string, entities: readonly string[]): void {
  if (typeof value !== 'string' || !entities.includes(value)) {
    throw new RestError(400, `${path}: must be one of ${entities.join(', ')}`);
  }
}
