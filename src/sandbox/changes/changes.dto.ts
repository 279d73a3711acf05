import { applyDecorators } from '@nestjs/common';
import { Allow, IsOptional } from 'class-validator';
import { isObject } from '../../kernel/matchers/matcher.js';
import {
  IsMatcher,
  MayBeAbsent,
  MOST_PARTS,
  NoOtherFields,
  ObjectsOf,
  Part,
  Rule,
  TextThat,
  TrueOrFalse,
} from '../access/body-rules.js';
import { faultOfHash, faultOfIgnored } from '../state/state.dto.js';
import { CLASSES } from './changes.service.js';

/** Most expectations, or entities in which nothing else changed, of one request. */
const MAX_EXPECTATIONS = MOST_PARTS;
const MAX_WEIGHT = 1_000_000;

export const VERBS = [...CLASSES, 'called', 'exists', 'unchanged', 'state', 'order', 'not', 'any', 'all'] as const;

/** Fields that mean something beside some of the verbs only. */
const ONLY_BESIDE = {
  by: ['called'],
  ids: ['state'],
  ignore: ['state'],
  where: [...CLASSES, 'called', 'exists', 'unchanged'],
};

const isNotEmpty = (text: string): boolean => text !== '';

const isCount = (value: unknown): boolean =>
  (typeof value === 'number' && Number.isInteger(value) && value >= 0) ||
  (isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => key.startsWith('$')));

function faultOfVerbs(expectation: Record<string, unknown>): string | undefined {
  const verbs: string[] = VERBS.filter((verb) => expectation[verb] !== undefined);
  if (verbs.length !== 1) return `must have one of ${VERBS.join(', ')}`;
  for (const [field, beside] of Object.entries(ONLY_BESIDE)) {
    const said = expectation[field] ?? undefined;
    if (said !== undefined && !beside.includes(verbs[0] as string)) return `${field} has no meaning beside ${verbs[0]}`;
  }
  return undefined;
}

const LIST = `must be a list of 1 to ${MAX_EXPECTATIONS} expectations`;

/** Expectations inside another. */
const Parts = (): PropertyDecorator =>
  applyDecorators(
    MayBeAbsent(),
    Rule((value) => (Array.isArray(value) && value.length > 0 ? undefined : LIST)),
    ObjectsOf(MAX_EXPECTATIONS, LIST, faultOfVerbs),
    Part(() => ExpectationBody),
  );

/** One of the verbs with an entity (which ones there are is known to `Changes`), a method, or other expectations. */
@NoOtherFields()
export class ExpectationBody {
  @Allow() added?: unknown;
  @Allow() changed?: unknown;
  @Allow() removed?: unknown;
  @Allow() exists?: unknown;
  @Allow() unchanged?: unknown;
  @MayBeAbsent() @TextThat(isNotEmpty, 'must be a method') called?: string;
  @MayBeAbsent() @Rule(faultOfHash) state?: string;
  @Parts() order?: ExpectationBody[];
  @Parts() any?: ExpectationBody[];
  @Parts() all?: ExpectationBody[];
  @MayBeAbsent()
  @Rule((value) => (isObject(value) ? faultOfVerbs(value) : 'must be an object'))
  @Part(() => ExpectationBody)
  not?: ExpectationBody;
  @IsOptional() @IsMatcher(isObject, 'must be an object') where?: object | null;
  @IsOptional() @IsMatcher(isCount, 'must be a whole number, or operators such as $lte') count?: number | object | null;
  @MayBeAbsent() @TextThat(isNotEmpty, 'must be the name of an app or a person') by?: string;
  @MayBeAbsent() @TrueOrFalse() ids?: boolean;
  @MayBeAbsent() @Rule(faultOfIgnored) ignore?: string[];
  @MayBeAbsent()
  @Rule((value) =>
    typeof value === 'number' && value >= 0 && value <= MAX_WEIGHT
      ? undefined
      : `must be a number from 0 to ${MAX_WEIGHT}`,
  )
  weight = 1;
}

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
