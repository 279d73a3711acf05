import type { Type } from '@nestjs/common';
import { ArgsType, Field as WireField, ID, InputType, ObjectType } from '@nestjs/graphql';
import { ConnectionOf, PageArgs } from '../graphql/connections.js';
import { OptionalField } from '../graphql/fields.js';
import { DateComparator, EntityIdentifierIdComparator, IDComparator, NumberComparator } from '../graphql/filters.js';
import { CreateInput, UpdateInput } from '../graphql/inputs.js';
import { ArchivePayloadOf, MutationPayload } from '../graphql/payloads.js';
import { typeNamed } from '../graphql/relations.js';
import { ExactlyOneOf, NewId, NotNull } from '../graphql/rules.js';
import { DateTime } from '../graphql/scalars.js';
import { PrioritySort, Sort } from '../graphql/sort.js';
import { type SortKey, urgency } from '../store/sort-keys.js';
import type { Field, Fields } from './fields.js';

/** The code-first classes of an entity; those that nothing names are not in the schema. */
export interface EntityTypes {
  readonly Type: Type<object>;
  readonly Connection: Type<object>;
  readonly Payload: Type<object>;
  readonly ArchivePayload: Type<object>;
  readonly Filter: Type<object>;
  readonly NullableFilter: Type<object>;
  readonly CollectionFilter: Type<object>;
  readonly CreateInput: Type<object>;
  readonly UpdateInput: Type<object>;
  readonly ListArgs: Type<object>;
  /** @throws where lists of it cannot be sorted */
  readonly SortInput: Type<object>;
}

interface Typed {
  readonly name: string;
  readonly fields: Fields;
  readonly payloadKey: string;
  /** The input types of further filter keys, by name. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly isNullablePayload: boolean;
  readonly isUnfiltered: boolean;
  readonly isHidden: boolean;
  readonly isSlugged: boolean;
  readonly sorts: Readonly<Record<string, SortKey>>;
  readonly nestsCollectionFilter: boolean;
}

type Base = abstract new (...args: never[]) => object;

/** A class with this name, which is its name on the wire. */
function named(name: string, base: Base = Object): Type<object> {
  return { [name]: class extends (base as Type<object>) {} }[name] as Type<object>;
}

const add = (to: Type<object>, name: string, ...decorators: PropertyDecorator[]): void => {
  for (const decorate of decorators) decorate(to.prototype as object, name);
};

export function makeTypes(typed: Typed): EntityTypes {
  const { name } = typed;
  const object = objectType(typed);
  let connection: Type<object> | undefined;
  const payload = named(`${name}Payload`, MutationPayload);
  add(
    payload,
    typed.payloadKey,
    WireField(() => object, { nullable: typed.isNullablePayload }),
  );
  // types that are declared lead to those of their fields
  if (!typed.isHidden) ObjectType()(payload);
  const archive = named(`${name}ArchivePayload`, typed.isHidden ? Object : ArchivePayloadOf(object));
  if (!typed.isHidden) ObjectType()(archive);
  const filter = filterType(`${name}Filter`, typed);
  const listArgs = named(`${name}ListArgs`, PageArgs);
  if (!typed.isUnfiltered) {
    add(
      listArgs,
      'filter',
      OptionalField(() => filter),
    );
  }
  const sort = Object.keys(typed.sorts).length > 0 ? sortType(typed) : undefined;
  if (sort) {
    add(
      listArgs,
      'sort',
      OptionalField(() => [sort]),
    );
  }
  ArgsType()(listArgs);
  return {
    Type: object,
    // an entity without lists has no such type
    get Connection() {
      if (!connection) ObjectType()((connection = named(`${name}Connection`, ConnectionOf(object))));
      return connection;
    },
    Payload: payload,
    ArchivePayload: archive,
    Filter: filter,
    NullableFilter: filterType(`Nullable${name}Filter`, typed, (own) => {
      add(
        own,
        'null',
        OptionalField(() => Boolean),
      );
    }),
    CollectionFilter: filterType(`${name}CollectionFilter`, typed, (own) => {
      if (typed.nestsCollectionFilter)
        add(
          own,
          'null',
          OptionalField(() => Boolean),
        );
      add(
        own,
        'some',
        OptionalField(() => (typed.nestsCollectionFilter ? own : filter)),
      );
      add(
        own,
        'every',
        OptionalField(() => filter),
      );
      add(
        own,
        'length',
        OptionalField(() => NumberComparator),
      );
    }),
    CreateInput: createInput(typed),
    UpdateInput: updateInput(typed),
    ListArgs: listArgs,
    get SortInput() {
      if (!sort) throw new Error(`lists of ${name} cannot be sorted`);
      return sort;
    },
  };
}

/** `TeamType` is the class of `Team`; constants are initialised fields, as in a class that is written by hand. */
function objectType({ name, fields }: Typed): Type<object> {
  const constants = Object.entries(fields).flatMap(([key, { constant }]) => (constant ? [[key, constant.value]] : []));
  const base = class {
    constructor() {
      Object.assign(this, Object.fromEntries(constants));
    }
  };
  const made = named(`${name}Type`, base);
  add(
    made,
    'id',
    WireField(() => ID),
  );
  add(
    made,
    'createdAt',
    WireField(() => DateTime),
  );
  add(
    made,
    'updatedAt',
    WireField(() => DateTime),
  );
  for (const [key, { type, options, refersTo }] of Object.entries(fields)) {
    if (options.shown === false) continue;
    const nullable = options.nullable === true;
    if (refersTo && options.idShown)
      add(
        made,
        key,
        WireField(() => String, { nullable }),
      );
    if (refersTo)
      add(
        made,
        key.replace(/Id$/, ''),
        WireField(() => typeNamed(refersTo), { nullable }),
      );
    else add(made, key, WireField(type.wire, { nullable }));
  }
  ObjectType(name)(made);
  return made;
}

function filterType(
  name: string,
  { fields, inputs, isSlugged }: Typed,
  more?: (own: Type<object>) => void,
): Type<object> {
  const made = named(name);
  add(
    made,
    'id',
    OptionalField(() => (isSlugged ? EntityIdentifierIdComparator : IDComparator)),
  );
  add(
    made,
    'createdAt',
    OptionalField(() => DateComparator),
  );
  add(
    made,
    'updatedAt',
    OptionalField(() => DateComparator),
  );
  add(
    made,
    'and',
    OptionalField(() => [made]),
  );
  add(
    made,
    'or',
    OptionalField(() => [made]),
  );
  for (const [key, field] of Object.entries(fields)) {
    const { type, options, refersTo } = field;
    if (refersTo) {
      const input = inputOfReference(field);
      if (input !== undefined)
        add(
          made,
          key.replace(/Id$/, ''),
          OptionalField(() => typeNamed(input)),
        );
    } else if (type.compares && options.filter !== false) {
      const { filter } = options;
      const isComparator = typeof filter === 'function' && Object.hasOwn(filter, 'prototype');
      const input = isComparator ? (filter as Type<object>) : type.compares.input;
      add(
        made,
        key,
        OptionalField(() => input),
      );
    }
  }
  for (const [key, input] of Object.entries(inputs))
    add(
      made,
      key,
      OptionalField(() => typeNamed(input)),
    );
  more?.(made);
  InputType()(made);
  return made;
}

function inputOfReference({ refersTo, options }: Field): string | undefined {
  if (options.through === false) return undefined;
  return options.through ?? `${options.nullable ? 'Nullable' : ''}${refersTo}Filter`;
}

function sortType({ name, sorts }: Typed): Type<object> {
  const made = named(`${name}SortInput`);
  for (const [key, sort] of Object.entries(sorts)) {
    const own = named(
      `${name}${key.charAt(0).toUpperCase()}${key.slice(1)}Sort`,
      sort === urgency ? PrioritySort : Sort,
    );
    InputType()(own);
    add(
      made,
      key,
      OptionalField(() => own),
    );
  }
  InputType()(made);
  return made;
}

/** Whether a create must be given it; undefined: it takes none. */
function inCreate({ options, isComputed, constant }: Field): 'required' | 'optional' | undefined {
  const { create } = options;
  if (isComputed || constant || create === false) return undefined;
  return create ?? (options.nullable || options.default !== undefined ? 'optional' : 'required');
}

function createInput({ name, fields }: Typed): Type<object> {
  const made = named(`${name}CreateInput`);
  add(
    made,
    'id',
    OptionalField(() => String),
    NewId(),
  );
  for (const [key, field] of Object.entries(fields)) {
    const taken = inCreate(field);
    if (taken === undefined) continue;
    const nullable = taken === 'optional';
    add(
      made,
      key,
      ...(field.options.rules ?? []),
      WireField(field.options.input ?? field.options.inputs ?? field.type.wire, { nullable }),
    );
  }
  const owners = Object.keys(fields).filter((key) => fields[key]?.options.owner);
  if (owners.length > 1) add(made, owners[0] as string, ExactlyOneOf(owners));
  CreateInput()(made);
  return made;
}

function updateInput({ name, fields }: Typed): Type<object> {
  const made = named(`${name}UpdateInput`);
  for (const [key, { type, options, isComputed, constant }] of Object.entries(fields)) {
    if (isComputed || constant || options.update === false) continue;
    const rules = [...(options.nullable ? [] : [NotNull()]), ...(options.rules ?? [])];
    add(made, key, ...rules, WireField(options.inputs ?? type.wire, { nullable: options.update !== 'required' }));
  }
  UpdateInput()(made);
  return made;
}
