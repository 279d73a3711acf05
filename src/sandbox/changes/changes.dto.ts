import { Allow, IsOptional } from 'class-validator';
import {
  IsMatcher,
  MayBeAbsent,
  MOST_PARTS,
  NoOtherFields,
  ObjectsOf,
  Part,
  Rule,
  TextThat,
} from '../access/body-rules.js';
import { isObject } from '../matchers/matcher.js';
import { CLASSES } from './changes.service.js';

/** Most expectations, or entities in which nothing else changed, of one request. */
const MAX_EXPECTATIONS = MOST_PARTS;

export const VERBS = [...CLASSES, 'called'] as const;

const isNotEmpty = (text: string): boolean => text !== '';

const isCount = (value: unknown): boolean =>
  (typeof value === 'number' && Number.isInteger(value) && value >= 0) ||
  (isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => key.startsWith('$')));

/** One of the verbs with an entity (which ones there are is known to `Changes`) or a method, and how many of them. */
@NoOtherFields()
export class ExpectationBody {
  @Allow() added?: unknown;
  @Allow() changed?: unknown;
  @Allow() removed?: unknown;
  @MayBeAbsent() @TextThat(isNotEmpty, 'must be a method') called?: string;
  @IsOptional() @IsMatcher(isObject, 'must be an object') where?: object | null;
  @IsOptional() @IsMatcher(isCount, 'must be a whole number, or operators such as $lte') count?: number | object | null;
}

const faultOfVerbs = (expectation: Record<string, unknown>): string | undefined =>
  VERBS.filter((verb) => expectation[verb] !== undefined).length === 1
    ? undefined
    : `must have one of ${VERBS.join(', ')}`;

export class AssertBody {
  @MayBeAbsent() @TextThat(isNotEmpty, 'must be the id or name of a snapshot, or baseline') since = 'baseline';
  @MayBeAbsent()
  @ObjectsOf(MAX_EXPECTATIONS, `must be a list of at most ${MAX_EXPECTATIONS}`, faultOfVerbs)
  @Part(() => ExpectationBody)
  expect: ExpectationBody[] = [];
  @MayBeAbsent()
  @Rule((value) =>
    Array.isArray(value) && value.length <= MAX_EXPECTATIONS
      ? undefined
      : `must be a list of at most ${MAX_EXPECTATIONS} entities`,
  )
  nothing_else: unknown[] = [];
}
