import 'reflect-metadata';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import type { ErrorCode } from '../../wire/codes.js';
import { isLongerThan } from '../../wire/text.js';
import { readCursor, type CursorKind, type CursorValue } from '../cursor.js';
import { Fault, toArray, toBoolean, toInteger, toList, toObject, toText, toTs } from './coerce.js';

/** Arguments as they came in, by name: what `readArguments` gives. */
export type RawArgs = Readonly<Record<string, unknown>>;

export type ArgumentType =
  | 'string'
  | 'integer'
  | 'boolean'
  | 'ts'
  | 'string (comma list)'
  | 'array (or JSON string)'
  | 'object (or JSON string)'
  | 'mixed';

export interface ArgOptions {
  /** For docs/METHODS.md. */
  notes?: string;
  required?: boolean;
  /** Answered when a required argument is absent; `invalid_arguments` unless said. */
  missing?: ErrorCode;
  /** Answered when the value is unacceptable; `invalid_arguments` unless said. */
  code?: ErrorCode;
  /** Other names, read in this order when the argument itself is absent. */
  aliases?: readonly string[];
  /** Default as documented, where it is not a value that can be filled in here ("caller"). */
  documentedDefault?: string | null;
}

/** What the argument decorators leave in class-validator's storage as the constraint of their validator. */
export interface ArgumentSpec extends ArgOptions {
  type: ArgumentType;
  default?: unknown;
  max?: number;
  /** Wire value → value, undefined when absent, or a fault. */
  coerce: (value: unknown) => unknown;
}

/** The name of the validator that an argument's decorator leaves. */
export const ARGUMENT = 'rpcArgument';

function argument(spec: ArgumentSpec): PropertyDecorator {
  return ValidateBy(
    {
      name: ARGUMENT,
      constraints: [spec],
      validator: {
        validate: (value: unknown) => {
          const coerced = spec.coerce(value);
          return coerced === undefined ? !spec.required : !(coerced instanceof Fault);
        },
        defaultMessage: (args?: ValidationArguments) => `${args?.property} must be a valid ${spec.type}`,
      },
    },
    { context: { code: spec.code ?? 'invalid_arguments' } },
  );
}

/**
 * A string. Numbers and booleans are stringified; over `max` code points it has the code `tooLong` (or `code`). With
 * `read`, which checks the text further and gives the value or a fault, the limit is the reader's to hold.
 */
export function StringArg(
  options: ArgOptions & {
    max?: number;
    tooLong?: ErrorCode;
    /** The empty string is a value, not an absent argument. */
    keepEmpty?: boolean;
    default?: string;
    read?: (text: string) => unknown;
  } = {},
): PropertyDecorator {
  const { max, tooLong, keepEmpty, read } = options;
  const overlong = new Fault(`must be at most ${max} characters`, tooLong);
  return argument({
    ...options,
    type: 'string',
    coerce: (value) => {
      const text = toText(value, keepEmpty);
      if (typeof text !== 'string') return text;
      if (read) return read(text);
      return max !== undefined && isLongerThan(text, max) ? overlong : text;
    },
  });
}

/** A whole number from `min` (default 0) up; above `max` it is clamped. 0 means the default where there is one. */
export function IntegerArg(options: ArgOptions & { default: number; max: number; min?: number }): PropertyDecorator {
  const { min = 0, max } = options;
  const tooSmall = new Fault(`must be at least ${min}`);
  return argument({
    ...options,
    type: 'integer',
    coerce: (value) => {
      const number = toInteger(value);
      if (typeof number !== 'number') return number;
      if (number < min) return tooSmall;
      return number === 0 ? options.default : Math.min(number, max);
    },
  });
}

/** `limit` of the paged methods (docs/reference/chat.md#pagination). */
export function LimitArg(options: { default: number; max: number; notes?: string }): PropertyDecorator {
  return IntegerArg({ ...options, code: 'invalid_limit' });
}

export function BooleanArg(options: ArgOptions & { default?: boolean } = {}): PropertyDecorator {
  return argument({ ...options, type: 'boolean', coerce: toBoolean });
}

/** A message timestamp, as microseconds. With `malformed`, a value that does not parse becomes that instead of a fault. */
export function TsArg(options: ArgOptions & { malformed?: { value: number | undefined } } = {}): PropertyDecorator {
  const { malformed } = options;
  return argument({
    ...options,
    type: 'ts',
    coerce: malformed
      ? (value) => {
          const ts = toTs(value);
          return ts instanceof Fault ? (ts.code ? ts : malformed.value) : ts;
        }
      : toTs,
  });
}

/**
 * A comma list, as an array of distinct, non-empty strings. With `tooMany` more than `max` of them have that code;
 * with `read` the list is checked further.
 */
export function ListArg(
  options: ArgOptions & {
    max?: number;
    tooMany?: ErrorCode;
    default?: readonly string[];
    read?: (list: string[]) => unknown;
  } = {},
): PropertyDecorator {
  const { max, tooMany } = options;
  const coerce = thenRead(toList, options.read);
  const overfull = new Fault(`must have at most ${max} items`, tooMany);
  return argument({
    ...options,
    ...(options.default && { documentedDefault: options.default.join(',') }),
    type: 'string (comma list)',
    coerce: (value) => {
      const list = coerce(value);
      return tooMany && Array.isArray(list) && list.length > max! ? overfull : list;
    },
  });
}

/**
 * A JSON array, or a string holding one. `read` checks the array further and gives the argument's value or a fault;
 * `otherwise` is the fault of what is no array.
 */
export function ArrayArg(
  options: ArgOptions & { max?: number; read?: (value: unknown[]) => unknown; otherwise?: Fault } = {},
) {
  const { read, otherwise, ...rest } = options;
  const coerce = (value: unknown) => {
    const list = toArray(value);
    return list instanceof Fault ? (otherwise ?? list) : list;
  };
  return argument({ ...rest, type: 'array (or JSON string)', coerce: thenRead(coerce, read) });
}

/** A JSON object, or a string holding one. `read` as for arrays. */
export function ObjectArg(
  options: ArgOptions & { max?: number; read?: (value: Record<string, unknown>) => unknown } = {},
) {
  const { read } = options;
  return argument({ ...options, type: 'object (or JSON string)', coerce: thenRead(toObject, read) });
}

/** An object or a string holding one, for the method itself to read: what is neither is passed on as it came. */
export function DocumentArg(options: ArgOptions = {}): PropertyDecorator {
  return argument({
    ...options,
    type: 'object (or JSON string)',
    coerce: (value) => {
      const json = toObject(value);
      return json instanceof Fault ? value : json;
    },
  });
}

function thenRead<T>(coerce: (value: unknown) => T | undefined | Fault, read?: (value: T) => unknown) {
  if (!read) return coerce;
  return (value: unknown) => {
    const json = coerce(value);
    return json === undefined || json instanceof Fault ? json : read(json as T);
  };
}

/**
 * `cursor` of the paged methods, as the value it names (docs/reference/chat.md#pagination). `first` is the word that
 * starts paging.
 */
export function CursorArg<K extends CursorKind>(
  kind: K,
  options: ArgOptions & { first?: { word: string; value: CursorValue<K> } } = {},
): PropertyDecorator {
  const { first } = options;
  const unreadable = new Fault('must be a cursor', 'invalid_cursor');
  return argument({
    documentedDefault: '',
    notes: 'value of the previous response_metadata.next_cursor',
    ...options,
    type: 'string',
    coerce: (value) => {
      const cursor = toText(value);
      if (typeof cursor !== 'string') return cursor;
      if (first && cursor === first.word) return first.value;
      return readCursor(kind, cursor) ?? unreadable;
    },
  });
}

/** `cursor` of a method that tells other faults first: as sent, for `decodeCursor` when its turn has come. */
export function UnreadCursorArg(): PropertyDecorator {
  return argument({
    type: 'string',
    documentedDefault: '',
    notes: 'value of the previous response_metadata.next_cursor',
    coerce: toText,
  });
}

/** Declared so that it is documented; its value is neither read nor checked. */
export function IgnoredArg(options: { notes: string }): PropertyDecorator {
  return argument({ ...options, type: 'mixed', coerce: () => undefined });
}

/** A conversation's id; anything else names no conversation, so it is `channel_not_found`, not `invalid_arguments`. */
export function IsConversationId(options: ArgOptions = {}): PropertyDecorator {
  const unknown = new Fault('is no conversation id', 'channel_not_found');
  return argument({
    required: true,
    ...options,
    type: 'string',
    coerce: (value) => {
      const id = toText(value);
      return typeof id === 'string' && !/^[CDG][0-9A-Z]{1,30}$/.test(id) ? unknown : id;
    },
  });
}

const orderKey = Symbol('error order');
const ruleKey = Symbol('rule');

/** The method's error table, in order: of several faults, the one whose code stands first here is answered. */
export function ErrorOrder(...codes: readonly ErrorCode[]): ClassDecorator {
  return (target) => Reflect.defineMetadata(orderKey, codes, target);
}

/** Told of a fault of an argument (by name), or of none in particular. */
export type Report = (argument: string | undefined, fault: Fault) => void;

/**
 * A rule over several arguments, run after each was read; arguments at fault are undefined then. It may set fields of
 * the instance that are derived from arguments.
 */
export function Rule<T>(rule: (args: T, report: Report, raw: RawArgs) => void): ClassDecorator {
  return (target) => Reflect.defineMetadata(ruleKey, rule, target);
}

export type ArgsClass<T extends object = object> = new () => T;

type ArgsRule = (args: object, report: Report, raw: RawArgs) => void;

/** The method's own error codes in the order they are checked, as its class declares them. */
export function errorOrder(cls: ArgsClass): readonly ErrorCode[] {
  return (Reflect.getMetadata(orderKey, cls) as readonly ErrorCode[] | undefined) ?? [];
}

/** What the class's `Rule` asks. */
export function ruleOf(cls: ArgsClass): ArgsRule | undefined {
  return Reflect.getMetadata(ruleKey, cls) as ArgsRule | undefined;
}
