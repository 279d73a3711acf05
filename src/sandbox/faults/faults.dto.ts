import { Allow, IsOptional } from 'class-validator';
import { isObject } from '../../kernel/matchers/matcher.js';
import {
  AnObject,
  faultOfWhole,
  IsMatcher,
  MayBeAbsent,
  NoOtherFields,
  OneOf,
  Part,
  PartOfType,
  Rule,
  type Fault,
  TextThat,
  WholeNumber,
} from '../access/body-rules.js';
import { AnswerHeaders } from './answer-headers.js';
import { CALLERS } from '../timeline/filters.js';
import { MAX_MS, STREAM_METHODS, TYPES, type FaultType } from './fault.js';

const MAX_BODY = 64 * 1024;
const MAX_TIMES = 1e9;

const isName = (text: string): boolean => text !== '' && text.length <= 300;
const isCode = (value: unknown): boolean => typeof value === 'string' && /^[A-Za-z0-9_.:-]{1,100}$/.test(value);

const TextOfBytes = (most: number): PropertyDecorator =>
  TextThat((text) => Buffer.byteLength(text) <= most, `must be a text of at most ${most} bytes`);

/** A whole number that its fault cannot be without. */
const NeededNumber = (least: number, most: number, what: string): PropertyDecorator =>
  Rule((value) => (value === undefined ? what : faultOfWhole(value, least, most)));

@NoOtherFields()
export class FaultOnBody {
  @TextThat(isName, 'must be a method, a family like conversations.*, a GraphQL root field, a control route or *')
  method!: string;
  @MayBeAbsent() @TextThat(isName, 'must be the name or id of an app') app?: string;
  @MayBeAbsent() @OneOf(CALLERS) caller?: string;
  @MayBeAbsent() @IsMatcher(isObject, 'must be a matcher over the call') where?: unknown;
}

/** What happens to a call; each type has a class below, with what can be set. */
export class FaultActionBody {
  @Allow() type!: FaultType;
}

const ofItsType = NoOtherFields(({ type }: FaultActionBody) => `no field of ${type}`);

@ofItsType
class RatelimitedFault extends FaultActionBody {
  @MayBeAbsent() @WholeNumber(0, 86_400) retry_after?: number;
}

function faultOfError(error: unknown, { code }: Readonly<Record<string, unknown>>): string | undefined {
  if (error === undefined) return code === undefined ? 'must be the code of a refusal' : undefined;
  return isCode(error) ? undefined : 'must be a code';
}

@ofItsType
class ErrorFault extends FaultActionBody {
  @Rule(faultOfError) error?: string;
  @MayBeAbsent() @Rule((code) => (isCode(code) ? undefined : 'must be a code')) code?: string;
  @MayBeAbsent() @TextOfBytes(2_000) message?: string;
  @MayBeAbsent() @WholeNumber(200, 599) status?: number;
}

@ofItsType
class HttpFault extends FaultActionBody {
  @NeededNumber(200, 599, 'must be a number from 200 to 599') status!: number;
  @MayBeAbsent() @TextOfBytes(MAX_BODY) body?: string;
  @MayBeAbsent() @AnswerHeaders() headers?: Record<string, string>;
}

function faultOfDelay(
  ms: unknown,
  { min_ms: min, max_ms: max }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (ms !== undefined) return faultOfWhole(ms, 0, MAX_MS);
  return min === undefined && max === undefined ? `must be a number from 0 to ${MAX_MS}` : undefined;
}

const faultOfMost = (most: unknown, { min_ms: least }: Readonly<Record<string, unknown>>): string | undefined => {
  const isBelow = typeof least === 'number' && typeof most === 'number' && least > most;
  return faultOfWhole(most, 0, MAX_MS) ?? (isBelow ? 'must not be below min_ms' : undefined);
};

@ofItsType
class DelayFault extends FaultActionBody {
  @Rule(faultOfDelay) ms?: number;
  @MayBeAbsent() @WholeNumber(0, MAX_MS) min_ms?: number;
  @MayBeAbsent()
  @Rule(faultOfMost)
  max_ms?: number;
}

@ofItsType
class SlowFault extends FaultActionBody {
  @NeededNumber(1, 1e9, 'must be a number from 1') bytes_per_second!: number;
}

@ofItsType
class LostAnswerFault extends FaultActionBody {
  @MayBeAbsent() @OneOf(['drop', 'timeout', 'http']) how?: 'drop' | 'timeout' | 'http';
}

const MAX_PARAMETERS = 20;
const isParameter = (name: unknown): boolean => typeof name === 'string' && /^[A-Za-z0-9_.-]{1,100}$/.test(name);

function faultOfSet(set: unknown, { remove }: Readonly<Record<string, unknown>>): string | undefined {
  if (set === undefined)
    return remove === undefined ? 'must say which parameters change, unless remove does' : undefined;
  if (!isObject(set) || Object.keys(set).length > MAX_PARAMETERS)
    return `must be an object of at most ${MAX_PARAMETERS} parameters`;
  const isFine = Object.entries(set).every(
    ([name, value]) => isParameter(name) && typeof value === 'string' && value.length <= 2_000,
  );
  return isFine ? undefined : 'must have texts of at most 2000 characters, by names of parameters';
}

@ofItsType
class RedirectFault extends FaultActionBody {
  @Rule(faultOfSet) set?: Record<string, string>;
  @MayBeAbsent()
  @Rule((value) =>
    Array.isArray(value) && value.length <= MAX_PARAMETERS && value.every(isParameter)
      ? undefined
      : `must be a list of at most ${MAX_PARAMETERS} names of parameters`,
  )
  remove?: string[];
}

@ofItsType
class PlainFault extends FaultActionBody {}

const CLASSES: Readonly<Record<FaultType, typeof FaultActionBody>> = {
  ratelimited: RatelimitedFault,
  error: ErrorFault,
  http: HttpFault,
  delay: DelayFault,
  drop: PlainFault,
  slow: SlowFault,
  truncate: PlainFault,
  lose_answer: LostAnswerFault,
  duplicate: PlainFault,
  redirect: RedirectFault,
  expire_stream: PlainFault,
};

/** The calls whose answers send browsers back to apps. */
const AUTHORIZE =
  /^(?:\*|oauth\.(?:v2\.)?(?:\*|authorize)|openid\.(?:connect\.)?(?:\*|authorize)|oauth\/(?:\*|authorize))$/;

function faultOfStreams(fault: unknown, { on }: Readonly<Record<string, unknown>>): Fault[] {
  if (!isObject(fault) || fault['type'] !== 'expire_stream') return [];
  if (isObject(on) && STREAM_METHODS.includes(on['method'] as string)) return [];
  return [{ at: '.type', what: `is for ${STREAM_METHODS.join(' and ')} only` }];
}

const isShare = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1;

/** What is to go wrong, for which calls, and how often. */
@NoOtherFields()
export class FaultBody {
  @AnObject()
  @Part(() => FaultOnBody)
  @Rule((on, { fault }) => {
    const isRedirect = isObject(fault) && fault['type'] === 'redirect';
    const method = isObject(on) ? on['method'] : undefined;
    return isRedirect && typeof method === 'string' && !AUTHORIZE.test(method)
      ? [{ at: '.method', what: 'must be an authorize URL, as oauth.v2.authorize, for redirect' }]
      : undefined;
  })
  on!: FaultOnBody;
  @PartOfType(CLASSES, FaultActionBody, `must be one of ${TYPES.join(', ')}`)
  @Rule(faultOfStreams)
  fault!: FaultActionBody;
  /** Null: for ever. */
  @IsOptional() @WholeNumber(1, MAX_TIMES) times?: number | null;
  @IsOptional() @WholeNumber(0, MAX_TIMES) skip?: number | null;
  @IsOptional()
  @Rule((value) => (isShare(value) ? undefined : 'must be a number from 0 to 1'))
  probability?: number | null;
  @IsOptional() @WholeNumber(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) random_seed?: number | null;
}
