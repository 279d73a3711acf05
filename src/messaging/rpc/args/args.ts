import 'reflect-metadata';
import { getMetadataStorage, ValidateBy, type ValidationArguments } from 'class-validator';
import { MessagingError, type ErrorCode } from '../../wire/codes.js';
import { isLongerThan } from '../../wire/text.js';
import { readCursor, type CursorKind, type CursorValue } from '../cursor.js';
import { Fault, toArray, toBoolean, toInteger, toList, toObject, toText, toTs } from './coerce.js';

/** Arguments as they came in, by name: what `readArguments` gives. */
export type RawArgs = Readonly<Record<string, unknown>>;

type ArgumentType =
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
interface ArgumentSpec extends ArgOptions {
  type: ArgumentType;
  default?: unknown;
  max?: number;
  /** Wire value → value, undefined when absent, or a fault. */
  coerce: (value: unknown) => unknown;
}

const ARGUMENT = 'rpcArgument';

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

/** A JSON array, or a string holding one. `read` checks the array further and gives the argument's value or a fault. */
export function ArrayArg(options: ArgOptions & { max?: number; read?: (value: unknown[]) => unknown } = {}) {
  const { read } = options;
  return argument({ ...options, type: 'array (or JSON string)', coerce: thenRead(toArray, read) });
}

/** A JSON object, or a string holding one. `read` as for arrays. */
export function ObjectArg(
  options: ArgOptions & { max?: number; read?: (value: Record<string, unknown>) => unknown } = {},
) {
  const { read } = options;
  return argument({ ...options, type: 'object (or JSON string)', coerce: thenRead(toObject, read) });
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

interface Check {
  validate(value: unknown, args: ValidationArguments): boolean;
  code: ErrorCode | undefined;
  args: ValidationArguments;
  message: string;
}

interface Compiled {
  arguments: { name: string; spec: ArgumentSpec; checks: Check[] }[];
  rule: ((args: object, report: Report, raw: RawArgs) => void) | undefined;
  rank: (code: ErrorCode) => number;
}

export type ArgsClass<T extends object = object> = new () => T;

const compiledClasses = new WeakMap<ArgsClass, Compiled>();

/**
 * Validators of a class, gathered once from class-validator's storage: the stock `validateSync` looks them up and
 * allocates anew for every call, which costs thirty times as much.
 */
function compile(cls: ArgsClass): Compiled {
  const known = compiledClasses.get(cls);
  if (known) return known;
  const storage = getMetadataStorage();
  const byName = storage.groupByPropertyName(storage.getTargetValidationMetadatas(cls, '', false, false));
  const compiled: Compiled = {
    arguments: Object.entries(byName).map(([name, metadata]) => {
      const spec = metadata.find((m) => m.name === ARGUMENT)?.constraints[0] as ArgumentSpec | undefined;
      if (!spec) throw new Error(`${cls.name}.${name} has no argument decorator`);
      const checks = metadata
        .filter((m) => m.name !== ARGUMENT && m.type === 'customValidation')
        .reverse() // decorators run from the bottom up
        .flatMap((m) =>
          storage.getTargetValidatorConstraints(m.constraintCls).map((constraint): Check => {
            const args = { value: undefined, constraints: m.constraints ?? [], targetName: cls.name, object: {} };
            const message = typeof m.message === 'string' ? m.message : `has an unacceptable value`;
            return {
              validate: (value, a) => constraint.instance.validate(value, a) as boolean,
              code: (m.context as { code?: ErrorCode } | undefined)?.code,
              args: { ...args, property: name },
              message,
            };
          }),
        );
      return { name, spec, checks };
    }),
    rule: Reflect.getMetadata(ruleKey, cls) as Compiled['rule'],
    rank: ranking(errorOrder(cls)),
  };
  compiledClasses.set(cls, compiled);
  return compiled;
}

/** Codes a table does not list are those every method can answer: they come before its own. */
function ranking(order: readonly ErrorCode[]): (code: ErrorCode) => number {
  const ranks = new Map(order.map((code, index) => [code, index]));
  return (code) => ranks.get(code) ?? (code === 'invalid_array_arg' ? -2 : -1);
}

/** Arguments that can't be accepted: the code, and for some codes a line for each fault. */
export class ArgumentError extends MessagingError {
  override readonly name = 'ArgumentError';

  constructor(
    code: ErrorCode,
    readonly messages?: readonly string[],
  ) {
    super(code, messages && { extra: { response_metadata: { messages } } });
  }
}

interface Reported {
  code: ErrorCode;
  messages: readonly string[] | undefined;
}

/**
 * Reads raw arguments into an instance of their class. Throws {@link ArgumentError} with the code that stands first
 * in the method's error table.
 */
export function parseArgs<T extends object>(cls: ArgsClass<T>, raw: RawArgs): T {
  const compiled = compile(cls);
  const args = new cls() as Record<string, unknown>;
  let faults: Reported[] | undefined;
  const add = (name: string | undefined, code: ErrorCode, reason: string, messages?: readonly string[]) => {
    messages ??=
      code === 'invalid_arguments' ? [`[ERROR] ${reason}${name === undefined ? '' : `: ${name}`}`] : undefined;
    (faults ??= []).push({ code, messages });
  };

  for (const { name, spec, checks } of compiled.arguments) {
    const value = readOne(raw, name, spec);
    if (value === undefined) {
      if (spec.required) add(name, spec.missing ?? 'invalid_arguments', 'missing required field');
      else if (spec.default !== undefined) args[name] = spec.default;
    } else if (value instanceof Fault) {
      add(name, value.code ?? spec.code ?? 'invalid_arguments', value.reason, value.messages);
    } else {
      args[name] = value;
      for (const check of checks) {
        check.args.value = value;
        check.args.object = args;
        if (!check.validate(value, check.args)) add(name, check.code ?? 'invalid_arguments', check.message);
      }
    }
  }
  compiled.rule?.(
    args,
    (name, fault) => add(name, fault.code ?? 'invalid_arguments', fault.reason, fault.messages),
    raw,
  );
  if (faults) throw firstOf(faults, compiled.rank);
  return args as T;
}

function readOne(raw: RawArgs, name: string, spec: ArgumentSpec): unknown {
  let value = spec.coerce(raw[name]);
  if (value === undefined && spec.aliases) {
    for (const alias of spec.aliases) {
      value = spec.coerce(raw[alias]);
      if (value !== undefined) break;
    }
  }
  return value;
}

function firstOf(faults: readonly Reported[], rank: Compiled['rank']): ArgumentError {
  const first = faults.reduce((best, fault) => (rank(fault.code) < rank(best.code) ? fault : best));
  const messages = faults.flatMap((fault) => (fault.code === first.code ? (fault.messages ?? []) : []));
  return new ArgumentError(first.code, messages.length > 0 ? messages : undefined);
}

export interface ArgumentDescription {
  name: string;
  type: ArgumentType;
  required: boolean;
  default: unknown;
  /** Longest text, most items or largest number, by type; null when there is none. */
  max: number | null;
  notes: string;
  aliases?: readonly string[];
}

/** The arguments of a class in their order, for the generated documentation. */
export function describeArgs(cls: ArgsClass): ArgumentDescription[] {
  return compile(cls).arguments.map(({ name, spec }) => ({
    name,
    type: spec.type,
    required: spec.required ?? false,
    default: 'documentedDefault' in spec ? spec.documentedDefault : (spec.default ?? null),
    max: spec.max ?? null,
    notes: spec.notes ?? '',
    ...(spec.aliases && { aliases: spec.aliases }),
  }));
}

/** The method's own error codes in the order they are checked, as its class declares them. */
export function errorOrder(cls: ArgsClass): readonly ErrorCode[] {
  return (Reflect.getMetadata(orderKey, cls) as readonly ErrorCode[] | undefined) ?? [];
}
