import type { Type } from '@nestjs/common';
import { Float, Int, type ReturnTypeFunc } from '@nestjs/graphql';
import type { ColumnType } from 'typeorm';
import {
  BooleanComparator,
  DateComparator,
  NullableDateComparator,
  NumberComparator,
  StringArrayComparator,
  StringComparator,
} from '../graphql/filters.js';
import {
  After,
  AtLeast,
  HttpUrl,
  IssueReference,
  LongText,
  OneOf,
  Priority,
  Reference,
  References,
  Text,
  Texts,
} from '../graphql/rules.js';
import { DateTime, JSONObject, JsonText, TimelessDate } from '../graphql/scalars.js';
import { midnight, value, type ValueKey } from '../store/filter-keys.js';
import type { QueryScope } from '../store/query-scope.js';
import type { ValueKind } from '../store/sort-keys.js';
import type { EntityKey } from '../store/entity-rows.js';

/*
 * A field of an entity is declared once, with one of the functions at the end of this file. Column, wire type, filter,
 * sort, inputs, events, seeds, export and changes are derived from that.
 */

/** How a seed document holds a value; a reference is the name of a thing there. */
export type SeedType = 'text' | 'texts' | 'number' | 'flag' | 'moment' | 'day' | 'json' | 'reference' | 'references';

/** What the values of a kind of field are, everywhere. */
interface ValueType {
  readonly column: ColumnType;
  readonly isArray?: true;
  readonly wire: ReturnTypeFunc;
  readonly seed: SeedType;
  /** How a filter's comparator reads it; absent: it cannot be filtered by. */
  readonly compares?: { readonly input: Type<object>; key(column: string): ValueKey };
  readonly sorts?: ValueKind;
}

/** A value as SQL, for filters by what is computed. */
export type Computed = (alias: string, scope: QueryScope) => string;

export interface FieldOptions {
  readonly nullable?: true;
  /** The column's default: a create may leave the field out. */
  readonly default?: string | number | boolean | object;
  /** Whether a create takes it; `required` where the column is neither nullable nor has a default. */
  readonly create?: 'required' | 'optional' | false;
  /** Whether an update takes it: as an option, by default. */
  readonly update?: boolean | 'required';
  /** The type of a create's input, where that is not the field's own: an enum. */
  readonly input?: ReturnTypeFunc;
  /** The same of creates and updates. */
  readonly inputs?: ReturnTypeFunc;
  /** A word: the enum that the wire has for it everywhere. */
  readonly enum?: ReturnTypeFunc;
  /** Further rules of inputs, besides those of its kind. */
  readonly rules?: readonly PropertyDecorator[];
  /** Text: at most this many characters. */
  readonly max?: number;
  /** A number: at least this. */
  readonly least?: number;
  /** Text: one of these. */
  readonly oneOf?: readonly string[];
  /** A moment: the property that it must be later than. */
  readonly after?: string;
  /** Another comparator than that of its kind, SQL of another value than the column's, or none. */
  readonly filter?: Type<object> | Computed | false;
  /** Whether lists can be sorted by it. */
  readonly sort?: true;
  /** False: no answer shows it. */
  readonly shown?: false;
  /** False: events do not tell it. */
  readonly event?: false;
  /** A text that is a secret with this prefix in seed documents; no export has it. */
  readonly token?: string;
  /** JSON: ids in it are names in seed documents. */
  readonly hasNames?: true;
  /** Its name in seed documents, where that is not its own in snake_case; false: it is in none. */
  readonly seed?: string | false;
  /**
   * A document may leave it out: its place fills it, or it means the thing with this name. False: it may not, though a
   * create may.
   */
  readonly seedDefault?: boolean | string;
}

export interface ReferenceOptions extends FieldOptions {
  readonly onDelete?: 'CASCADE' | 'SET NULL';
  /** The connection of the entity that is referred to: `cycles` of a team. */
  readonly backed?: string;
  /** That connection takes no filter, though lists do. */
  readonly isBackedUnfiltered?: true;
  /** The number that orders that connection, where it is not newest first. */
  readonly backedOrder?: string;
  /** The key of the filters of the entity that is referred to, for those that refer to it: `attachments` of an issue. */
  readonly having?: string;
  /** The name of its filter input, where that is not derived from the entity's; false: none. */
  readonly through?: string | false;
  /** What is locked of the entity when it is named: `use` excludes its deletion only. */
  readonly hold?: 'use' | 'change';
  /** The wire shows the id as well. */
  readonly idShown?: true;
  /** The thing belongs to this one: it is seen with it, its events are told to the same people. */
  readonly owner?: true;
}

/** @param T what a row holds. @param O its options, by which the inputs' types are made */
export interface Field<T = unknown, O = unknown> {
  readonly type: ValueType;
  readonly options: ReferenceOptions;
  /** Set for a reference. */
  readonly refersTo?: EntityKey;
  /** Set for a list of ids: what they are ids of. */
  readonly lists?: EntityKey;
  /** Not a column: resolved by the entity's relations, filtered by the SQL. */
  readonly isComputed?: true;
  /** Neither a column nor shown: inputs alone have it, and the service reads it. */
  readonly isInput?: true;
  /** The same on every object. */
  readonly constant?: { readonly value: unknown };
  readonly '~row'?: T;
  readonly '~options'?: O;
}

export type Fields = Readonly<Record<string, Field>>;

type Nullable<T, O> = O extends { nullable: true } ? T | null : T;
/** What inputs may have. */
type GivenKeys<F> = { [K in keyof F]: F[K] extends Field<never> ? never : K }[keyof F];
type StoredKeys<F> = { [K in GivenKeys<F>]: F[K] extends { isInput: true } ? never : K }[GivenKeys<F>];

/** The columns of a row. */
export type RowOf<F extends Fields> = {
  -readonly [K in StoredKeys<F>]: F[K] extends Field<infer T, unknown> ? T : never;
};

type IsRequired<O> = O extends { create: 'required' }
  ? true
  : O extends { nullable: true } | { default: unknown } | { create: 'optional' | false }
    ? false
    : true;
type Given<F, K extends keyof F> = F[K] extends Field<infer T, unknown> ? NonNullable<T> : never;
type OptionsOf<T> = T extends Field<unknown, infer O> ? O : never;
type Creates<F, Required> = {
  [K in GivenKeys<F>]: OptionsOf<F[K]> extends { create: false }
    ? never
    : IsRequired<OptionsOf<F[K]>> extends Required
      ? K
      : never;
}[GivenKeys<F>];
type Updates<F> = {
  [K in GivenKeys<F>]: OptionsOf<F[K]> extends { update: false } ? never : K;
}[GivenKeys<F>];

/** The input of a create, validated: nulls are gone. */
export type CreateOf<F extends Fields> = { id?: string } & { [K in Creates<F, true>]: Given<F, K> } & {
  [K in Creates<F, false>]?: Given<F, K>;
};

/** The input of an update, validated: null clears. */
export type UpdateOf<F extends Fields> = {
  [K in Updates<F>]?: F[K] extends Field<infer T, unknown> ? T : never;
};

const kind =
  <T>(type: ValueType, rules: (options: FieldOptions) => readonly PropertyDecorator[] = () => []) =>
  <const O extends FieldOptions>(options?: O): Field<Nullable<T, O>, O> => {
    const { rules: more = [], ...others } = options ?? ({} as FieldOptions);
    const own = others.enum ? { ...type, wire: others.enum } : type;
    return { type: own, options: { ...others, rules: [...more, ...rules(options ?? {})] } };
  };

const words: ValueType = {
  column: 'text',
  wire: () => String,
  seed: 'text',
  compares: { input: StringComparator, key: (column) => value('text', column) },
  sorts: 'text',
};
const NAME_MAX = 80;

/** A name: 1 to `max` characters (80) that are not all blank. */
export const text = kind<string>(words, ({ max = NAME_MAX }) => [Text(max)]);
/** One of some words. */
export const word = kind<string>(words, ({ oneOf = [] }) => [OneOf(oneOf)]);
/** Some texts of at most 255 characters. */
export const texts = kind<string[]>(
  {
    column: 'text',
    isArray: true,
    wire: () => [String],
    seed: 'texts',
    compares: { input: StringArrayComparator, key: (column) => value('texts', column) },
  },
  () => [Texts()],
);
/** Markdown and the like. */
export const longText = kind<string>(words, () => [LongText()]);
/** An absolute http or https address. */
export const url = kind<string>(words, () => [HttpUrl()]);

const numbers = (column: ColumnType): ValueType => ({
  column,
  wire: () => Float,
  seed: 'number',
  compares: { input: NumberComparator, key: (name) => value('number', name) },
  sorts: 'number',
});
const atLeast = ({ least }: FieldOptions) => (least === undefined ? [] : [AtLeast(least)]);
export const number = kind<number>(numbers('double precision'), atLeast);
export const whole = kind<number>(numbers('integer'), atLeast);
/** The same as a whole number of the wire. */
export const int = kind<number>({ ...numbers('integer'), wire: () => Int }, atLeast);
/** 0 (none) to 4. */
export const priority = kind<number>({ ...numbers('integer'), wire: () => Int }, () => [Priority()]);

const flags: ValueType = {
  column: 'boolean',
  wire: () => Boolean,
  seed: 'flag',
  compares: { input: BooleanComparator, key: (column) => value('boolean', column) },
};
export const flag = kind<boolean>(flags);

const moments: ValueType = {
  column: 'timestamptz',
  wire: () => DateTime,
  seed: 'moment',
  compares: { input: DateComparator, key: (column) => value('moment', column) },
  sorts: 'moment',
};
export const moment = kind<Date>(moments, ({ after }) => (after === undefined ? [] : [After(after)]));

/** A calendar day, `YYYY-MM-DD`; filters compare its midnight with moments. */
export const day = kind<string>({
  column: 'date',
  wire: () => TimelessDate,
  seed: 'day',
  compares: { input: NullableDateComparator, key: midnight },
  sorts: 'day',
});

/** An object of any form. */
export const json = kind<Record<string, unknown>>({ column: 'jsonb', wire: () => JSONObject, seed: 'json' });

/** A list of objects of any form, which other mutations write. */
export const jsonList = <T>(): Field<T[], { create: false; update: false }> => ({
  type: { column: 'jsonb', wire: () => JSONObject, seed: 'json' },
  options: { default: [], create: false, update: false, event: false, seed: false },
});

/** Any JSON that the wire shows as text. */
export const jsonText = <T>(options?: FieldOptions): Field<T, FieldOptions & { create: false; update: false }> => ({
  type: { column: 'jsonb', wire: () => JsonText, seed: 'json' },
  options: { ...options },
});

/** An object that inputs give, and that the wire shows as text. */
export const jsonGiven = <T, const O extends FieldOptions = FieldOptions>(options?: O): Field<T, O> => ({
  type: { column: 'jsonb', wire: () => JsonText, seed: 'json' },
  options: { ...options },
});

/** The id of another entity: its property is `teamId`, and the wire shows the entity, as `team`. */
export function reference<const O extends ReferenceOptions>(
  entity: EntityKey,
  options?: O,
): Field<Nullable<string, O>, O> {
  const rule = entity === 'Issue' ? IssueReference() : Reference();
  const { rules = [], ...others } = options ?? ({} as ReferenceOptions);
  const type: ValueType = { column: 'uuid', wire: () => String, seed: 'reference' };
  return { type, options: { ...others, rules: [...rules, rule] }, refersTo: entity };
}

/** The ids of other entities, in their order. Their connection and filter are for the entity's own file. */
export const idList = <const O extends FieldOptions>(entity: EntityKey, options: O): Field<string[], O> => ({
  type: { column: 'uuid', isArray: true, wire: () => [String], seed: 'references' },
  options: { ...options, rules: [References()] },
  lists: entity,
});

/** True or false by other values: the relations of its entity resolve it. @param filter the same as SQL */
export const computedFlag = (filter: Computed): Field<never> => ({
  type: flags,
  options: { filter },
  isComputed: true,
});

/** A number that the relations of its entity resolve; it cannot be filtered by. */
export const computedNumber = (): Field<never> => ({
  type: numbers('double precision'),
  options: { filter: false },
  isComputed: true,
});

/** Values that the relations of its entity always resolve; they cannot be filtered by. */
export const computedBy = <N extends string>(wire: ReturnTypeFunc, ...names: N[]): Record<N, Field<never>> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      { type: { column: 'text', wire, seed: 'text' }, options: { filter: false }, isComputed: true },
    ]),
  ) as Record<N, Field<never>>;

/** The same where they may be null. */
export const computed = <N extends string>(wire: ReturnTypeFunc, ...names: N[]): Record<N, Field<never>> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      { type: { column: 'text', wire, seed: 'text' }, options: { filter: false, nullable: true }, isComputed: true },
    ]),
  ) as Record<N, Field<never>>;

/** The same value on every object: null, an empty list, or a word. */
export const constant = (wire: ReturnTypeFunc, given: null | readonly [] | string): Field<never> => ({
  type: { column: 'text', wire, seed: 'text' },
  options: { filter: false, ...(given === null && { nullable: true }) },
  constant: { value: given },
});

/** What only the inputs of creates have, for the service: the text of a comment that is made besides. */
export const given = <T>(
  wire: ReturnTypeFunc,
  options: FieldOptions = {},
): Field<T, { create: 'optional'; update: false }> & { isInput: true } => givenIn(wire, options) as never;

/** The same of inputs of updates, and of creates unless `create` is false. */
export const givenAlways = <T>(
  wire: ReturnTypeFunc,
  options: FieldOptions = {},
): Field<T | null, { create: 'optional'; nullable: true }> & { isInput: true } =>
  givenIn(wire, { ...options, update: true }) as never;

const givenIn = (
  wire: ReturnTypeFunc,
  { rules = [], create = 'optional', update = false }: FieldOptions,
): Field & { isInput: true } => ({
  type: { column: 'text', wire, seed: 'text' },
  options: { rules, create, update, nullable: true, filter: false, shown: false, event: false, seed: false },
  isInput: true,
});

/** Whether it is a column. */
export const isStored = ({ isComputed, isInput, constant: same }: Field): boolean => !isComputed && !isInput && !same;
