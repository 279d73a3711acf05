import { getMetadataStorage, type ValidationArguments } from 'class-validator';
import { MessagingError, type ErrorCode } from '../../wire/codes.js';
import {
  ARGUMENT,
  errorOrder,
  ruleOf,
  type ArgsClass,
  type ArgumentSpec,
  type ArgumentType,
  type RawArgs,
} from './args.js';
import { Fault } from './coerce.js';

interface Check {
  validate(value: unknown, args: ValidationArguments): boolean;
  code: ErrorCode | undefined;
  args: ValidationArguments;
  message: string;
}

interface Compiled {
  arguments: { name: string; spec: ArgumentSpec; checks: Check[] }[];
  rule: ReturnType<typeof ruleOf>;
  rank: (code: ErrorCode) => number;
}

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
    rule: ruleOf(cls),
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
