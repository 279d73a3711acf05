import { Allow, IsOptional } from 'class-validator';
import { isObject } from '../../kernel/matchers/matcher.js';
import type { FailureReason } from '../../webhooks/guarded-http.js';
import {
  AnObject,
  IsMatcher,
  MayBeAbsent,
  NoOtherFields,
  OneOf,
  Part,
  PartOfType,
  Rule,
  Text,
  TextThat,
  WholeNumber,
  type Fault,
} from '../access/body-rules.js';
import type { ReleaseOrder } from './order.js';
import { ACTIONS, ERRORS, MAX_MS, type RuleAction } from './rule.js';

const MAX_LENGTH = 300;
const MAX_TIMES = 1_000_000_000;
const MAX_FLUSH_MS = 60_000;

const isId = (id: unknown): boolean =>
  (typeof id === 'string' || typeof id === 'number') && /^[0-9]{1,15}$/.test(`${id}`);
const areIds = (value: unknown): boolean => Array.isArray(value) && value.every(isId);

/** Which of the held ones go out, and in which order. */
export class ReleaseBody {
  @MayBeAbsent()
  @Rule((value) => (areIds(value) ? undefined : 'must be an array of ids of deliveries'))
  ids?: (string | number)[];
  @MayBeAbsent()
  @OneOf(['as_is', 'reversed', 'shuffled'], 'must be as_is, reversed or shuffled')
  order: ReleaseOrder = 'as_is';
  @MayBeAbsent() @Text() target?: string;
  @MayBeAbsent()
  @Rule((value) => (Number.isSafeInteger(value) ? undefined : 'must be a whole number'))
  random_seed = 1;
  @MayBeAbsent()
  @Rule((value) =>
    Number.isSafeInteger(value) && (value as number) > 0 ? undefined : 'must be a whole number above 0',
  )
  count?: number;
}

export class FlushBody {
  @MayBeAbsent()
  @Rule((value) =>
    typeof value === 'number' && value >= 0 && value <= MAX_FLUSH_MS
      ? undefined
      : `must be a number from 0 to ${MAX_FLUSH_MS}`,
  )
  timeout_ms = 5_000;
}

const Word = (): PropertyDecorator =>
  TextThat((text) => text.length <= MAX_LENGTH, `must be a string of at most ${MAX_LENGTH} characters`);

/** Which deliveries a rule is about; what is absent fits all. */
@NoOtherFields()
export class RuleOnBody {
  @MayBeAbsent() @Word() target?: string;
  @MayBeAbsent() @Word() kind?: string;
  @MayBeAbsent() @Word() event?: string;
  @MayBeAbsent() @IsMatcher(isObject, 'must be a matcher over the delivery') where?: unknown;
}

/** What is done to a delivery; each type has a class below, with what it takes. */
export class RuleActionBody {
  @Allow() type!: RuleAction['type'];
}

@NoOtherFields()
class PlainAction extends RuleActionBody {}

@NoOtherFields()
class DelayAction extends RuleActionBody {
  @WholeNumber(0, MAX_MS) ms!: number;
}

@NoOtherFields()
class DuplicateAction extends RuleActionBody {
  @MayBeAbsent() @WholeNumber(2, 20) copies = 2;
  @MayBeAbsent() @WholeNumber(0, MAX_MS) gap_ms = 0;
}

@NoOtherFields()
class ReorderAction extends RuleActionBody {
  @MayBeAbsent()
  @OneOf(['reversed', 'shuffled'], 'must be reversed or shuffled')
  order: 'reversed' | 'shuffled' = 'reversed';
  @WholeNumber(2, 100) window!: number;
}

@NoOtherFields()
class StaleTimestampAction extends RuleActionBody {
  @WholeNumber(0, 1_000_000_000) seconds!: number;
}

function faultOfError(error: unknown, { status }: Readonly<Record<string, unknown>>): string | Fault[] | undefined {
  if (error !== undefined) return ERRORS.includes(error as string) ? undefined : `must be one of ${ERRORS.join(', ')}`;
  return status === undefined ? [{ at: null, what: 'do needs a status or an error' }] : undefined;
}

@NoOtherFields()
class AnswerAction extends RuleActionBody {
  @Rule(faultOfError) error?: FailureReason;
  @MayBeAbsent() @WholeNumber(200, 599) status?: number;
}

const CLASSES: Readonly<Record<RuleAction['type'], typeof RuleActionBody>> = {
  hold: PlainAction,
  drop: PlainAction,
  delay: DelayAction,
  duplicate: DuplicateAction,
  reorder: ReorderAction,
  bad_signature: PlainAction,
  stale_timestamp: StaleTimestampAction,
  answer: AnswerAction,
};

/** What is done to deliveries of an app, which of them, and how often. */
@NoOtherFields()
export class DeliveryRuleBody {
  @MayBeAbsent() @AnObject() @Part(() => RuleOnBody) on: RuleOnBody = {};
  @PartOfType(CLASSES, RuleActionBody, `must be ${ACTIONS.slice(0, -1).join(', ')} or ${ACTIONS.at(-1)}`)
  do!: RuleActionBody;
  /** Null: for ever. */
  @IsOptional() @WholeNumber(1, MAX_TIMES) times: number | null = null;
  @MayBeAbsent() @WholeNumber(0, MAX_TIMES) skip = 0;
}
