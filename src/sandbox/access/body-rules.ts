import { applyDecorators } from '@nestjs/common';
import { IsObject, ValidateBy, ValidateIf, ValidateNested, type ValidationArguments } from 'class-validator';
import { MatcherError } from '../../kernel/matchers/matcher-error.js';
import { isObject, readMatcher } from '../../kernel/matchers/matcher.js';
import { PartOf } from '../../kernel/validation/instance-of.js';

/*
 * The rules of what is sent about sandboxes as class-validator constraints. A field without `@MayBeAbsent` or
 * `@IsOptional` must be there.
 */

/** What is wrong with a value: `must be …`, with where in it (`.key`, `[0]`); `at` null: the sentence names it itself. */
export interface Fault {
  readonly at: string | null;
  readonly what: string;
}

/** What is wrong with a value, if anything is. `body` is what it is a field of. */
type Judge = (value: unknown, body: Readonly<Record<string, unknown>>) => string | readonly Fault[] | undefined;

const inside = (at: string, what: string): Fault => ({ at, what });

/** A rule in class-validator's terms. Its message carries the faults as JSON, for `placeOf`. */
export function Rule(judge: Judge): PropertyDecorator {
  const faultsIn = (value: unknown, { object }: ValidationArguments): readonly Fault[] => {
    const found = judge(value, object as Record<string, unknown>) ?? [];
    return typeof found === 'string' ? [inside('', found)] : found;
  };
  return ValidateBy({
    name: 'rule',
    validator: {
      validate: (value, args) => faultsIn(value, args as ValidationArguments).length === 0,
      // `$` begins the names that class-validator replaces, and stands in names that callers choose
      defaultMessage: (args) =>
        JSON.stringify(faultsIn(args?.value, args as ValidationArguments)).replaceAll('$', '\\u0024'),
    },
  });
}

/** The faults that a message of `Rule` carries, or that a message of a stock rule is. */
export const placeOf = (message: string): Fault[] =>
  message.startsWith('[') ? (JSON.parse(message) as Fault[]) : [inside('', message)];

/** Left out; null is a value like others. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

type Class = new () => object;

/** No list of parts may be longer. */
export const MOST_PARTS = 500;

/** An object, or a list of them, that has a class of its own; which one may depend on what was sent. */
export const Part = (classOf: (sent: Readonly<Record<string, unknown>>) => Class): PropertyDecorator =>
  applyDecorators(ValidateNested(), PartOf(classOf, MOST_PARTS));

/**
 * The same, where the object's `type` says which.
 * @param what what is said about a type that is none of theirs
 */
export const PartOfType = (
  classes: Readonly<Record<string, Class>>,
  otherwise: Class,
  what: string,
): PropertyDecorator => {
  const classOf = (type: unknown): Class | undefined =>
    typeof type === 'string' && Object.hasOwn(classes, type) ? classes[type] : undefined;
  return applyDecorators(
    Rule((value) => {
      if (!isObject(value)) return 'must be an object';
      return classOf(value['type']) ? [] : [inside('.type', what)];
    }),
    Part(({ type }) => classOf(type) ?? otherwise),
  );
};

const otherFields = new WeakMap<object, (body: object) => string>();

/** A class of a body, or of a part of it, that takes no other fields: a misspelt one would have no effect. */
export const NoOtherFields =
  (words: (body: never) => string = () => 'no such field'): ClassDecorator =>
  (target) =>
    void otherFields.set(target, words as (body: object) => string);

/** What is said about a field that its class does not have; undefined: it may be there. */
export const wordsForOtherFields = (body: object): string | undefined => otherFields.get(body.constructor)?.(body);

export const faultOfWhole = (value: unknown, least: number, most: number): string | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
    ? undefined
    : `must be a whole number from ${least} to ${most}`;

export const WholeNumber = (least: number, most: number): PropertyDecorator =>
  Rule((value) => faultOfWhole(value, least, most));

export const TrueOrFalse = (): PropertyDecorator =>
  Rule((value) => (typeof value === 'boolean' ? undefined : 'must be true or false'));

export const OneOf = (words: readonly unknown[], what = `must be one of ${words.join(', ')}`): PropertyDecorator =>
  Rule((value) => (words.includes(value) ? undefined : what));

/** A text of which `holds` is true. */
export const TextThat = (holds: (text: string) => boolean, what: string): PropertyDecorator =>
  Rule((value) => (typeof value === 'string' && holds(value) ? undefined : what));

export const Text = (): PropertyDecorator => TextThat(() => true, 'must be a string');

export const AnObject = (what = 'must be an object'): PropertyDecorator => IsObject({ message: what });

/** A list of objects, which `judge` may look at before their classes do. */
export const ObjectsOf = (
  most: number,
  what: string,
  judge: (one: Record<string, unknown>) => string | undefined = () => undefined,
): PropertyDecorator =>
  Rule((value) => {
    if (!Array.isArray(value) || value.length > most) return what;
    return value.flatMap((one: unknown, i) => {
      const fault = isObject(one) ? judge(one) : 'must be an object';
      return fault === undefined ? [] : [inside(`[${i}]`, fault)];
    });
  });

/** A matcher (docs/reference/sandboxes.md#matchers), or what `holds` allows of them. */
export const IsMatcher = (holds: (value: unknown) => boolean, what: string): PropertyDecorator =>
  Rule((value) => (holds(value) ? faultOfMatcher(value) : what));

function faultOfMatcher(value: unknown): Fault[] {
  try {
    readMatcher(value, '');
    return [];
  } catch (error) {
    if (!(error instanceof MatcherError)) throw error;
    const { path, reason } = error;
    return [inside(path === '' || path.startsWith('[') ? path : `.${path}`, `: ${reason}`)];
  }
}
