import type { Type } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import {
  getNamedType,
  type GraphQLArgument,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql';
import { brokenRules } from '../../kernel/validation/broken-rules.js';
import { instanceOf } from '../../kernel/validation/instance-of.js';
import { type ArgumentError, argumentValidation } from '../values/errors.js';
import { decodeCursor } from './connections.js';
import { inputClass, setJudgedAt } from './inputs.js';
import { isUuid, NotJson, type Now } from './scalars.js';

type Values = Readonly<Record<string, unknown>>;

const PAGE_MAX = 250;
const BATCH_MAX = 50;
/** Deeper filters are refused: no client needs them, and each level is a subquery. */
const FILTER_DEPTH_MAX = 50;
/**
 * Root arguments that name something else by UUID, by the argument's name (docs/reference/tracker.md#inputs,
 * "references").
 */
const REFERENCES = new Set(['labelId', 'userId', 'resolvingCommentId', 'copySettingsFromTeamId', 'teamId']);

/**
 * The input as an instance of its class: nulls dropped from creates, ids in lower case, repeats dropped, nested inputs
 * likewise; absent fields stay absent (`'title' in input`). Throws row 9 of docs/reference/tracker.md#errors with
 * every broken rule.
 */
export function validateInput<T extends object>(type: Type<T>, value: object, now: Date = new Date()): T {
  const input = toInstance(type, value as Values, now);
  const errors = inputErrors(input);
  if (errors.length > 0) throw argumentValidation(errors);
  return input;
}

function inputErrors(input: object): ArgumentError[] {
  const broken = brokenRules(input, { stopAtFirstError: true });
  return [...nulCharacters(input as Values), ...broken.map(toArgumentError)];
}

function toInstance<T extends object>(type: Type<T>, value: Values, now: Date): T {
  return instanceOf(type, value, {
    make: ({ prototype }) => {
      const input = Object.create(prototype as object) as object;
      setJudgedAt(input, now);
      return input;
    },
    dropsNull: ({ name }) => inputClass(name)?.kind === 'create',
  });
}

function toArgumentError({ property, children = [], constraints }: ValidationError): ArgumentError {
  return { property, children: children.map(toArgumentError), ...(constraints && { constraints }) };
}

/** PostgreSQL cannot hold U+0000, so no text may carry it, whether it is stored or compared with. */
function nulCharacters(values: Values): ArgumentError[] {
  return Object.entries(values).flatMap(([property, value]) => {
    if (!Array.isArray(value)) return hasNul(value) ? [nulError(property)] : [];
    if (value.some(hasNul)) return [nulError(property)];
    const inputs = value.flatMap((item, index) =>
      typeof item === 'object' ? under(String(index), nulCharacters(item as Values)) : [],
    );
    return under(property, inputs);
  });
}

function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}

function nulError(property: string): ArgumentError {
  return broken(property, 'noNullCharacter', `${property} must not contain the character U+0000`);
}

function broken(property: string, constraint: string, message: string): ArgumentError {
  return { property, children: [], constraints: { [constraint]: message } };
}

/**
 * Validates the arguments of every field before its resolver runs, so that all resolvers can rely on them: page sizes,
 * cursors, references, sort keys, the UUIDs in filters, and inputs by their class.
 */
export function guardArguments(schema: GraphQLSchema, now: Now): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      const guards = field.args.flatMap((argument) => guardOf(argument) ?? []);
      if (!resolve || guards.length === 0) continue;
      field.resolve = (row, args: Values, context, info) =>
        resolve(row, checkArguments(guards, args, now), context, info);
    }
  }
}

/** Errors of one argument's value, and the value that resolvers get. */
interface Guard {
  name: string;
  check(value: unknown, now: Date): { errors: ArgumentError[]; value?: unknown };
}

function checkArguments(guards: readonly Guard[], args: Values, now: Now): Values {
  let checked = args;
  const errors: ArgumentError[] = [];
  for (const { name, check } of guards) {
    const given = args[name];
    if (given === undefined || given === null) continue;
    const result = check(given, now());
    errors.push(...result.errors);
    if (result.value !== undefined) checked = { ...checked, [name]: result.value };
  }
  if (errors.length > 0) throw argumentValidation(errors);
  return checked;
}

function guardOf({ name, type }: GraphQLArgument): Guard | undefined {
  const named = getNamedType(type);
  if (isInputObjectType(named)) return inputGuard(name, type, named);
  if (name === 'first' || name === 'last') {
    return { name, check: (value) => ({ errors: pageSizeErrors(name, Number(value)) }) };
  }
  if (name === 'after' || name === 'before') {
    const error = broken(name, 'isCursor', `${name} is not a valid cursor`);
    return { name, check: (value) => ({ errors: decodeCursor(String(value)) ? [] : [error] }) };
  }
  if (REFERENCES.has(name)) {
    const error = broken(name, 'isUuid', `${name} must be a UUID`);
    return {
      name,
      check: (value) => (isUuid(value) ? { errors: [], value: value.toLowerCase() } : { errors: [error] }),
    };
  }
  if (name === 'ids') return { name, check: (value) => ({ errors: batchErrors(name, (value as unknown[]).length) }) };
  if (name === 'term' || name === 'query') {
    return { name, check: (value) => ({ errors: nulCharacters({ [name]: value }) }) };
  }
  if (isJson(named)) return { name, check: (value) => ({ errors: jsonErrors([name], { [name]: value }) }) };
  return undefined;
}

const isJson = ({ name }: GraphQLNamedInputType): boolean => name === 'JSON' || name === 'JSONObject';

/** Texts that should have been JSON. */
const jsonErrors = (names: readonly string[], values: Values): ArgumentError[] =>
  names.filter((name) => values[name] instanceof NotJson).map((name) => broken(name, 'isJson', `${name} must be JSON`));

function inputGuard(name: string, type: GraphQLInputType, named: GraphQLInputObjectType): Guard {
  const rules = inputClass(named.name);
  if (rules && isListType(getNullableType(type))) {
    return {
      name,
      check: (given, now) => {
        const value = (given as Values[]).map((item) => toInstance(rules.type, item, now));
        return {
          errors: under(
            name,
            value.flatMap((item, i) => under(String(i), inputErrors(item))),
          ),
          value,
        };
      },
    };
  }
  if (rules) {
    const json = Object.values(named.getFields()).filter((field) => isJson(getNamedType(field.type)));
    const jsonNames = json.map((field) => field.name);
    return {
      name,
      check: (given, now) => {
        const notJson = jsonErrors(jsonNames, given as Values);
        if (notJson.length > 0) return { errors: notJson };
        const value = toInstance(rules.type, given as Values, now);
        return { errors: inputErrors(value), value };
      },
    };
  }
  if (isListType(getNullableType(type))) {
    return { name, check: (value) => ({ errors: sortErrors(name, value as Values[]) }) };
  }
  return { name, check: (value) => ({ errors: filterErrors(named, value as Values) }) };
}

function pageSizeErrors(property: string, size: number): ArgumentError[] {
  if (size > PAGE_MAX) return [broken(property, 'max', `${property} must not be greater than ${PAGE_MAX}`)];
  if (size < 1) return [broken(property, 'min', `${property} must not be less than 1`)];
  return [];
}

function batchErrors(property: string, size: number): ArgumentError[] {
  if (size > BATCH_MAX) {
    return [broken(property, 'arrayMaxSize', `${property} must contain no more than ${BATCH_MAX} elements`)];
  }
  return size < 1 ? [broken(property, 'arrayMinSize', `${property} must contain at least 1 elements`)] : [];
}

/** A sort key is the name of the one key set: two in one object have no order (docs/reference/tracker.md#filters). */
function sortErrors(property: string, keys: readonly Values[]): ArgumentError[] {
  const children = keys.flatMap((key, index) => {
    const set = Object.values(key).filter((value) => value !== null);
    return set.length > 1 ? [broken(String(index), 'oneKey', `each value in ${property} must have one key only`)] : [];
  });
  return children.length > 0 ? [{ property, children }] : [];
}

/** Traverses a filter along its types: the comparator, not the key, decides which ids must be UUIDs. */
function filterErrors(type: GraphQLInputObjectType, values: Values, depth = 1): ArgumentError[] {
  const fields = type.getFields();
  return Object.entries(values).flatMap(([property, value]) => {
    const named = getNamedType(fields[property]!.type);
    if (!isInputObjectType(named)) return leafErrors(type, property, value);
    if (value === null) return [];
    if (depth >= FILTER_DEPTH_MAX) {
      return [broken(property, 'maxDepth', `${property} must not be nested deeper than ${FILTER_DEPTH_MAX} levels`)];
    }
    const children = Array.isArray(value)
      ? value.flatMap((item: Values, index) => under(String(index), filterErrors(named, item, depth + 1)))
      : filterErrors(named, value as Values, depth + 1);
    return under(property, children);
  });
}

function under(property: string, children: ArgumentError[]): ArgumentError[] {
  return children.length > 0 ? [{ property, children }] : [];
}

function leafErrors(type: GraphQLInputObjectType, property: string, value: unknown): ArgumentError[] {
  if (type.name === 'IDComparator') {
    if (Array.isArray(value) && !value.every(isUuid)) {
      return [broken(property, 'isUuid', `each value in ${property} must be a UUID`)];
    }
    if (typeof value === 'string' && !isUuid(value)) return [broken(property, 'isUuid', `${property} must be a UUID`)];
  }
  return nulCharacters({ [property]: value });
}
