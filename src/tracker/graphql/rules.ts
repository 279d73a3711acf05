import { applyDecorators } from '@nestjs/common';
import { buildMessage, ValidateBy, type ValidationArguments } from 'class-validator';
import { Normalize } from '../../kernel/validation/instance-of.js';
import { judgedAt } from './inputs.js';
import { isUuid } from './scalars.js';

/*
 * The rules of docs/reference/tracker.md#inputs as class-validator constraints, with class-validator's names and
 * wording. Apart from `Required` and `NotNull` every rule lets null and undefined pass: those two alone say what may
 * be absent or cleared, so no rule depends on the order of decorators for it. Of several broken rules of one property
 * the one nearest to it speaks.
 */

const ID_LIST_MAX = 250;
const LONG_TEXT_MAX = 250_000;
const URL_MAX = 2_048;
const COLOR = /^#[0-9a-fA-F]{6}$/;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
/** `ENG-12`, in any case. */
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9]*-\d+$/;

interface Rule {
  name: string;
  message: string | ((args: ValidationArguments) => string);
  holds: (value: unknown, args: ValidationArguments) => boolean;
  /** Filled in for `$constraint1` in the message. */
  limit?: unknown;
  each?: boolean;
  /** Validate null and undefined too. */
  absent?: boolean;
}

/** A rule in class-validator's terms; `$property` and `$constraint1` in the message are filled in by it. */
export function rule({ name, message, holds, limit, each = false, absent = false }: Rule): PropertyDecorator {
  return ValidateBy(
    {
      name,
      constraints: [limit],
      validator: {
        validate: (value, args) => (!absent && (value === null || value === undefined)) || holds(value, args!),
        defaultMessage:
          typeof message === 'string' ? buildMessage((prefix) => prefix + message, { each }) : (args) => message(args!),
      },
    },
    { each },
  );
}

const isBlank = (value: unknown) => value === undefined || value === null || String(value).trim() === '';
const lowerCase = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value);

/** Required and not blank. */
export const Required = () =>
  rule({ name: 'isNotEmpty', message: '$property should not be empty', holds: (v) => !isBlank(v), absent: true });

/** The same, unless one of these properties is given. */
export const RequiredUnless = (...others: readonly string[]) =>
  rule({
    name: 'isNotEmpty',
    message: '$property should not be empty',
    holds: (value, args) =>
      !isBlank(value) || (value === undefined && others.some((one) => isGiven(sibling(args, one)))),
    absent: true,
  });

/** May be absent but not null. */
export const NotNull = () =>
  rule({
    name: 'isDefined',
    message: '$property should not be null or undefined',
    holds: (value) => value !== null,
    absent: true,
  });

const NotBlank = () =>
  rule({ name: 'isNotEmpty', message: '$property should not be empty', holds: (value) => !isBlank(value) });

/** At most this many characters (code points). */
export const MaxLength = (limit: number) =>
  rule({
    name: 'maxLength',
    message: '$property must be shorter than or equal to $constraint1 characters',
    // A code point is at most two units: short texts need no counting.
    holds: (value) => String(value).length <= limit || [...String(value)].length <= limit,
    limit,
  });

export const MinLength = (limit: number) =>
  rule({
    name: 'minLength',
    message: '$property must be longer than or equal to $constraint1 characters',
    holds: (value) => [...String(value)].length >= limit,
    limit,
  });

/** 1 to `limit` characters that are not all blank; stored as given. */
export const Text = (limit = 80) => applyDecorators(NotBlank(), MaxLength(limit));

const TEXTS_MAX = 250;

/** At most 250 texts of 1 to 255 characters. */
export const Texts = () =>
  rule({
    name: 'arrayMaxSize',
    message: `$property must be at most ${TEXTS_MAX} texts of 1 to 255 characters`,
    holds: (value) =>
      Array.isArray(value) &&
      value.length <= TEXTS_MAX &&
      value.every((one) => String(one).trim() !== '' && String(one).length <= 255),
  });

/** Markdown and the like. */
export const LongText = () => MaxLength(LONG_TEXT_MAX);

export const Color = () => Pattern(COLOR);

export const Pattern = (pattern: RegExp) =>
  rule({
    name: 'matches',
    message: '$property must match $constraint1 regular expression',
    holds: (value) => pattern.test(String(value)),
    limit: pattern,
  });

/** Absolute http or https; its destination is checked when it is called. */
export const HttpUrl = () =>
  applyDecorators(
    rule({ name: 'isUrl', message: '$property must be a URL address', holds: isHttpUrl }),
    MaxLength(URL_MAX),
  );

/** Whether it is an absolute http or https address. */
export function isHttpUrl(value: unknown): boolean {
  if (!URL.canParse(String(value))) return false;
  const url = new URL(String(value));
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
}

/** An object whose JSON takes at most this many bytes. */
export const JsonUpTo = (limit: number) =>
  applyDecorators(
    JsonLimit(limit),
    rule({ name: 'isObject', message: '$property must be an object', holds: isObject }),
  );

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON that takes at most this many bytes. */
export const JsonLimit = (limit: number) =>
  rule({
    name: 'maxLength',
    message: '$property must be no more than $constraint1 bytes of JSON',
    holds: (value) => Buffer.byteLength(JSON.stringify(value)) <= limit,
    limit,
  });

export const UrlLength = () => MaxLength(URL_MAX);

/** An integer in the range, ends included. */
export const WholeNumber = (least: number, most: number) =>
  applyDecorators(
    rule({ name: 'isInt', message: '$property must be an integer number', holds: (v) => Number.isInteger(v) }),
    AtLeast(least),
    AtMost(most),
  );

export const AtLeast = (limit: number) =>
  rule({
    name: 'min',
    message: '$property must not be less than $constraint1',
    holds: (value) => Number(value) >= limit,
    limit,
  });

export const AtMost = (limit: number) =>
  rule({
    name: 'max',
    message: '$property must not be greater than $constraint1',
    holds: (value) => Number(value) <= limit,
    limit,
  });

/** 0 to 4; null is "no priority", 0. */
export const Priority = () =>
  applyDecorators(
    Normalize((value) => (value === null ? 0 : value)),
    AtLeast(0),
    AtMost(4),
  );

export const OneOf = (values: readonly string[]) =>
  rule({
    name: 'isIn',
    message: '$property must be one of the following values: $constraint1',
    holds: (value) => values.includes(String(value)),
    limit: values,
  });

export const NoneOf = (values: readonly string[]) =>
  rule({
    name: 'isNotIn',
    message: '$property should not be one of the following values: $constraint1',
    holds: (value) => !values.includes(String(value)),
    limit: values,
  });

/** A list whose members are all among the values, and which is not empty. */
export const SomeOf = (values: readonly string[]) =>
  applyDecorators(
    Filled(),
    rule({
      name: 'isIn',
      message: '$property must be one of the following values: $constraint1',
      holds: (value) => values.includes(String(value)),
      limit: values,
      each: true,
    }),
  );

const Filled = () =>
  rule({
    name: 'arrayNotEmpty',
    message: '$property should not be empty',
    holds: (value) => Array.isArray(value) && value.length > 0,
  });

const AtMostElements = (limit: number) =>
  rule({
    name: 'arrayMaxSize',
    message: '$property must contain no more than $constraint1 elements',
    holds: (value) => Array.isArray(value) && value.length <= limit,
    limit,
  });

const AtLeastElements = (limit: number) =>
  rule({
    name: 'arrayMinSize',
    message: '$property must contain at least $constraint1 elements',
    holds: (value) => Array.isArray(value) && value.length >= limit,
    limit,
  });

/** How many elements a list holds. */
export const Elements = (least: number, most: number) => applyDecorators(AtMostElements(most), AtLeastElements(least));

const uuid = { name: 'isUuid', message: '$property must be a UUID' };

/** The id a caller chooses for a new object: UUID v4, converted to lower case. */
export const NewId = () =>
  applyDecorators(Normalize(lowerCase), rule({ ...uuid, holds: (value) => UUID_V4.test(String(value)) }));

/** The id of another object: a UUID of any version, converted to lower case. The service checks whether it exists. */
export const Reference = () => applyDecorators(Normalize(lowerCase), rule({ ...uuid, holds: isUuid }));

/** An issue by UUID (taken in lower case) or by identifier (`ENG-12`, left as written). */
export const IssueReference = () =>
  applyDecorators(
    Normalize((value) => (isUuid(value) ? value.toLowerCase() : value)),
    rule({ ...uuid, holds: (value) => isUuid(value) || IDENTIFIER.test(String(value)) }),
  );

/** A list of at most 250 ids. Repeats are dropped, the first one stays. */
export const References = () => applyDecorators(Normalize(withoutRepeats), ReferenceList());

/** The same, but not empty. */
export const SomeReferences = () => applyDecorators(Filled(), References());

/** A list of at most 250 ids in which a repeat is a mistake. */
export const UniqueReferences = () =>
  applyDecorators(
    Normalize(eachLowerCase),
    rule({
      name: 'arrayUnique',
      message: "All $property's elements must be unique",
      holds: (value) => Array.isArray(value) && new Set(value).size === value.length,
    }),
    ReferenceList(),
  );

const ReferenceList = () => applyDecorators(rule({ ...uuid, holds: isUuid, each: true }), AtMostElements(ID_LIST_MAX));

function eachLowerCase(value: unknown): unknown {
  return Array.isArray(value) ? value.map(lowerCase) : value;
}

function withoutRepeats(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value.map(lowerCase))] : value;
}

/** A list of changes: null means no change. */
export const NullIsAbsent = () => Normalize((value) => (value === null ? undefined : value));

/** Not later than now. */
export const InThePast = () =>
  rule({
    name: 'maxDate',
    message: (args) => `maximal allowed date for ${args.property} is ${judgedAt(args.object).toISOString()}`,
    holds: (value, args) => (value as Date).getTime() <= judgedAt(args.object).getTime(),
  });

/** Later than the input's other moment, when that is given. */
export const After = (other: string) =>
  rule({
    name: 'minDate',
    message: (args) => `minimal allowed date for ${args.property} is ${(sibling(args, other) as Date).toISOString()}`,
    holds: (value, args) => {
      const bound = sibling(args, other);
      return !(bound instanceof Date) || (value as Date).getTime() > bound.getTime();
    },
  });

/** A day not before the input's other day, when that is given; the service compares with what is stored. */
export const NotBefore = (other: string) =>
  rule({
    name: 'minDate',
    message: (args) => `minimal allowed date for ${args.property} is ${String(sibling(args, other))}`,
    holds: (value, args) => {
      const bound = sibling(args, other);
      return typeof bound !== 'string' || String(value) >= bound;
    },
  });

function sibling(args: ValidationArguments, property: string): unknown {
  return (args.object as Record<string, unknown>)[property];
}

/** Exactly one of these properties is given; stands at one of them. */
export const ExactlyOneOf = (names: readonly string[]) =>
  rule({
    name: 'exactlyOne',
    message: `Exactly one of ${names.slice(0, -1).join(', ')} or ${names.at(-1)} must be defined`,
    holds: (_value, args) => names.filter((name) => isGiven(sibling(args, name))).length === 1,
    absent: true,
  });

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
