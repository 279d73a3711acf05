import { RestError } from '../../kernel/http/http-error.js';
import { namesIn, readMatcher, type Matcher } from '../../kernel/matchers/matcher.js';
import { VERBS, type AssertBody, type ExpectationBody } from './changes.dto.js';
import type { Class } from './changes.service.js';

interface Counted {
  readonly where: Matcher | null;
  /** A number or a matcher over one; null: at least one. */
  readonly count: Matcher | null;
}

/** Rows that came, changed or went, rows that are there now, or rows of which none came, changed or went. */
export interface RowsExpected extends Counted {
  readonly verb: Class | 'exists' | 'unchanged';
  /** An entity. */
  readonly what: string;
}

/** Calls of a method. */
export interface CallsExpected extends Counted {
  readonly verb: 'called';
  /** A method, or a family (`chat.*`). */
  readonly what: string;
  /** Name or id of an app or a person. */
  readonly by: string | null;
}

/** The first matches of calls, in this order. */
export interface OrderExpected {
  readonly verb: 'order';
  readonly steps: readonly CallsExpected[];
}

export interface StateExpected {
  readonly verb: 'state';
  readonly hash: string;
  readonly ids: boolean;
  readonly ignore: readonly string[];
}

/** Others together: one of them, all of them, or the opposite of the only one. */
export interface GroupExpected {
  readonly verb: 'any' | 'all' | 'not';
  readonly parts: readonly Expectation[];
}

/** What a test expects. */
export type Expectation = RowsExpected | CallsExpected | OrderExpected | StateExpected | GroupExpected;

export interface AssertRequest {
  readonly since: string;
  readonly expect: readonly Expectation[];
  /** Of each of `expect`. */
  readonly weights: readonly number[];
  readonly nothingElse: readonly string[];
}

/** The most expectations of one request, those inside others counted. */
const MAX_IN_ALL = 1_000;

/** @param entities those that there are. @throws RestError 400 with the path of a name that is none of them */
export function readAssert(body: AssertBody, entities: readonly string[]): AssertRequest {
  const { since, expect, nothing_else: nothingElse } = body;
  nothingElse.forEach((each, i) => requireEntity(each, `nothing_else[${i}]`, entities));
  const context = { entities, left: MAX_IN_ALL };
  return {
    since,
    expect: expect.map((each, i) => readExpectation(each, `expect[${i}]`, context)),
    weights: expect.map(({ weight }) => weight),
    nothingElse: [...new Set(nothingElse as string[])],
  };
}

/** Names that stand for ids in an expectation's matchers. */
export function namesOf(expectation: Expectation): string[] {
  switch (expectation.verb) {
    case 'any':
    case 'all':
    case 'not':
      return expectation.parts.flatMap(namesOf);
    case 'order':
      return expectation.steps.flatMap(namesOf);
    case 'state':
      return [];
    default:
      return expectation.where ? [...namesIn(expectation.where)] : [];
  }
}

interface Context {
  readonly entities: readonly string[];
  left: number;
}

function readExpectation(source: ExpectationBody, path: string, context: Context): Expectation {
  if (--context.left < 0) throw new RestError(400, `expect: must be at most ${MAX_IN_ALL} in all`);
  const verb = VERBS.find((each) => source[each] !== undefined) as Expectation['verb'];
  const inside = (one: ExpectationBody, at: string): Expectation => {
    if (one.weight !== 1) throw new RestError(400, `${at}.weight: only a whole expectation has one`);
    return readExpectation(one, at, context);
  };
  switch (verb) {
    case 'not':
      return { verb, parts: [inside(source.not as ExpectationBody, `${path}.not`)] };
    case 'any':
    case 'all': {
      const parts = source[verb] as ExpectationBody[];
      return { verb, parts: parts.map((one, i) => inside(one, `${path}.${verb}[${i}]`)) };
    }
    case 'order':
      return {
        verb,
        steps: (source.order as ExpectationBody[]).map((one, i) => {
          const step = inside(one, `${path}.order[${i}]`);
          if (step.verb !== 'called') throw new RestError(400, `${path}.order[${i}]: must have called`);
          if (step.count) throw new RestError(400, `${path}.order[${i}].count: the first match counts`);
          return step;
        }),
      };
    case 'state':
      return { verb, hash: source.state as string, ids: source.ids ?? false, ignore: source.ignore ?? [] };
    case 'called':
      return { verb, what: source.called as string, by: source.by ?? null, ...counted(source) };
    default:
      requireEntity(source[verb], `${path}.${verb}`, context.entities);
      if (verb === 'unchanged' && source.count !== undefined && source.count !== null) {
        throw new RestError(400, `${path}.count: of what is unchanged nothing is counted`);
      }
      return { verb, what: source[verb] as string, ...counted(source) };
  }
}

const counted = ({ where = null, count = null }: ExpectationBody): Counted => ({
  where: where === null ? null : readMatcher(where),
  count: count === null ? null : readMatcher(count),
});

function requireEntity(value: unknown, path: string, entities: readonly string[]): void {
  if (typeof value !== 'string' || !entities.includes(value)) {
    throw new RestError(400, `${path}: must be one of ${entities.join(', ')}`);
  }
}
