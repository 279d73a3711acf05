import { RestError } from '../../kernel/http/http-error.js';
import { readMatcher, type Matcher } from '../matchers/matcher.js';
import { VERBS, type AssertBody, type ExpectationBody } from './changes.dto.js';
import type { Class } from './changes.service.js';

/** One change that a test expects. */
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

/** @param entities those that there are. @throws RestError 400 with the path of a name that is none of them */
export function readAssert(body: AssertBody, entities: readonly string[]): AssertRequest {
  const { since, expect, nothing_else: nothingElse } = body;
  nothingElse.forEach((each, i) => requireEntity(each, `nothing_else[${i}]`, entities));
  return {
    since,
    expect: expect.map((each, i) => readExpectation(each, `expect[${i}]`, entities)),
    nothingElse: [...new Set(nothingElse as string[])],
  };
}

function readExpectation(source: ExpectationBody, path: string, entities: readonly string[]): Expectation {
  const { where = null, count = null } = source;
  const verb = VERBS.find((each) => source[each] !== undefined) as Expectation['verb'];
  if (verb !== 'called') requireEntity(source[verb], `${path}.${verb}`, entities);
  return {
    verb,
    what: source[verb] as string,
    where: where === null ? null : readMatcher(where),
    count: count === null ? null : readMatcher(count),
  };
}

function requireEntity(value: unknown, path: string, entities: readonly string[]): void {
  if (typeof value !== 'string' || !entities.includes(value)) {
    throw new RestError(400, `${path}: must be one of ${entities.join(', ')}`);
  }
}
