import { ForeignKey } from 'typeorm';
import type { RowClass } from '../../kernel/database/columns.js';
import { snakeCase } from '../../kernel/database/store-names.js';
import { defineEventType } from '../events/tracker-events.js';
import { connectionsOf, of, type ConnectionSpec } from '../store/connections.js';
import { having, id, one, times, value, type FilterKey, type FilterKeys } from '../store/filter-keys.js';
import { ownName, plain, type SortKey } from '../store/sort-keys.js';
import { addFilterKey, bySlug, defineEntity, type EntityDefinition, entityOf } from '../store/define-entity.js';
import type { EntityKey, EntityRows } from '../store/entity-rows.js';
import { OwnedRow, Stored } from '../store/row.js';
import { type CreateOf, type Field, type Fields, isStored, type RowOf, type UpdateOf } from './fields.js';
import type { SeedThing } from './seed-thing.js';
import { makeTypes, type EntityTypes } from './types.js';

/** A row class made of declared fields, which it keeps. */
type DeclaredRow<F extends Fields> = (abstract new () => OwnedRow & RowOf<F>) & { readonly fields: F };

/** `@Entity('cycles') export class Cycle extends rowOf({ … }) {}`: the columns of an entity, by its fields. */
export function rowOf<const F extends Fields>(fields: F): DeclaredRow<F> {
  abstract class Declared extends OwnedRow {
    static readonly fields = fields;
  }
  for (const [name, field] of Object.entries(fields)) {
    if (!isStored(field)) continue;
    const { type, options, refersTo } = field;
    const target = Declared.prototype;
    if (refersTo && options.onDelete) {
      ForeignKey(() => entityOf(refersTo).row as new () => object, { onDelete: options.onDelete })(target, name);
    }
    Stored(type.column, {
      ...(type.isArray && { array: true }),
      ...(options.nullable && { nullable: true }),
      ...(options.default !== undefined && { default: options.default }),
    })(target, name);
  }
  return Declared as unknown as DeclaredRow<F>;
}

/** Where seed documents hold entities of a kind. */
export interface SeedPlace {
  /** The property that names the thing whose list holds them; absent: the organization's. */
  readonly under?: string;
  /** The key of the list. */
  readonly as: string;
  /** A property that no two of a list share. */
  readonly unique?: string;
  /** Whether a document says when they were made, as it does of issues. */
  readonly isDated?: true;
  /** Whether documents need not hold a row, as everybody has it; with ids they do. */
  readonly isImplied?: (row: never) => boolean;
  /** As SQL: the order of an export, where it is not that of their making. */
  readonly order?: (alias: string) => string;
  /** They are no list but the names of a reference, by the values of a field: `reactions: { tada: ['bob'] }`. */
  readonly map?: { readonly key: string; readonly names: string };
  /** They are no objects but the names of this reference: `projects: ['Q1']`; with `isOne`, a single name. */
  readonly names?: { readonly property: string; readonly isOne?: true };
  /** One whose name is there already is that one, which the document completes. */
  readonly isFound?: true;
  /** A thing with what it has by itself, such as things that it holds. @param at when the document is filled in */
  readonly completed?: (thing: SeedThing, at: Date) => SeedThing;
  /** What a document does not say of the one at this place of its list. */
  readonly filled?: (made: {
    index: number;
    creatorId: string;
    at: Date;
    /** What it says, by the row's properties. */
    values: Readonly<Record<string, unknown>>;
  }) => Record<string, unknown>;
}

interface Declaration<R extends object> extends Omit<EntityDefinition<R>, 'row' | 'filter' | 'sorts'> {
  /** Root fields: `cycle` and `cycles`, by the name of the entity if absent. */
  readonly plural?: string;
  /** Keys of its filters besides those of its fields, each with the name of its input type. */
  readonly filter?: Readonly<Record<string, { readonly key: FilterKey; readonly input: string }>>;
  readonly sorts?: Readonly<Record<string, SortKey>>;
  /** It has a `slugId`, by which it is found as well. */
  readonly isSlugged?: true;
  /** Its word in realtime, and whether webhooks may hear of it. */
  readonly event?: { readonly word: string; readonly fires?: true };
  /** The mutations that are made for it. */
  readonly mutations?: readonly Mutation[];
  /** Lists of it take no filter. */
  readonly isUnfiltered?: true;
  /** There is no root field that lists it. */
  readonly isUnlisted?: true;
  /** The wire has no such type: its rows are a part of others. */
  readonly isHidden?: true;
  /** The key of its payload, where that is not its name. */
  readonly payloadKey?: string;
  /** Its payload may hold null instead of it. */
  readonly nullablePayload?: true;
  /** Its collection filter takes `null`, and itself as `some`. */
  readonly nestsCollectionFilter?: true;
  readonly seeds?: SeedPlace | readonly SeedPlace[];
}

export type Mutation = 'create' | 'update' | 'delete' | 'archive' | 'unarchive';

/** Everything that was declared and derived for an entity. */
export interface Declared<K extends EntityKey = EntityKey, F extends Fields = Fields> {
  readonly name: K;
  readonly row: RowClass<EntityRows[K]>;
  readonly fields: F;
  readonly singular: string;
  readonly plural: string;
  readonly payloadKey: string;
  readonly table: string;
  readonly types: EntityTypes;
  readonly mutations: readonly Mutation[];
  readonly seeds: readonly SeedPlace[];
  /** Whether lists take no filter. */
  readonly isUnfiltered: boolean;
  readonly isUnlisted: boolean;
  /** Whether rows can be archived. */
  readonly isArchived: boolean;
  /** The references to the thing it belongs to: of several, a row has one. */
  readonly owners: readonly { readonly property: string; readonly entity: EntityKey }[];
  /** What others get for referring to them: the connections of those that it belongs to. */
  readonly backed: readonly {
    readonly entity: EntityKey;
    readonly field: string;
    readonly spec: ConnectionSpec<K>;
    readonly isUnfiltered: boolean;
  }[];
  /** What events say of a row. */
  data(row: EntityRows[K]): Record<string, unknown>;
}

/** The inputs of an entity, as its service gets them. */
export type CreateInputOf<D> = D extends Declared<EntityKey, infer F> ? CreateOf<F> : never;
export type UpdateInputOf<D> = D extends Declared<EntityKey, infer F> ? UpdateOf<F> : never;

const declared = new Map<EntityKey, Declared>();

/** All entities that were declared, each after those that it refers to. */
export function declaredEntities(): readonly Declared[] {
  const ordered = new Set<Declared>();
  const visit = (entity: Declared, above: ReadonlySet<Declared> = new Set()): void => {
    if (ordered.has(entity) || above.has(entity)) return;
    for (const { refersTo, lists } of Object.values(entity.fields)) {
      const other = declared.get((refersTo ?? lists) as EntityKey);
      if (other) visit(other, new Set([...above, entity]));
    }
    ordered.add(entity);
  };
  for (const entity of declared.values()) visit(entity);
  return [...ordered];
}

/** Declares an entity. Call it once, beside the row class. */
export function declareEntity<K extends EntityKey, F extends Fields>(
  name: K,
  row: RowClass<EntityRows[K]> & { readonly fields: F },
  declaration: Declaration<EntityRows[K]>,
): Declared<K, F> {
  const {
    plural,
    payloadKey,
    filter = {},
    sorts = {},
    event,
    nullablePayload,
    mutations = [],
    seeds = [],
    ...rest
  } = declaration;
  const isUnfiltered = declaration.isUnfiltered === true;
  const { fields } = row;
  const singular = name.charAt(0).toLowerCase() + name.slice(1);
  const isArchived = fields['archivedAt'] !== undefined && isStored(fields['archivedAt']);
  const extraKeys = Object.fromEntries(Object.entries(filter).map(([key, extra]) => [key, extra.key]));
  const ownSorts = Object.fromEntries(
    Object.entries(fields).flatMap(([key, field]) => (field.options.sort ? [[key, sortKey(key, field)]] : [])),
  );
  defineEntity(name, {
    ...rest,
    row,
    ...(declaration.isSlugged && { lookup: bySlug }),
    filter: {
      id: declaration.isSlugged ? value('projectId', 'id') : id,
      ...times,
      ...filterKeys(fields),
      ...extraKeys,
    },
    sorts: { ...ownSorts, ...sorts },
    references: Object.fromEntries(
      Object.entries(fields).flatMap(([key, { refersTo }]) =>
        refersTo ? [[snakeCase(key), snakeCase(relationName(key))]] : [],
      ),
    ),
  });
  if (event) defineEventType(name, event.word, event.fires === true);
  const backed = Object.entries(fields).flatMap(([key, { refersTo, options }]) =>
    refersTo && options.backed !== undefined
      ? [
          {
            entity: refersTo,
            field: options.backed,
            isUnfiltered: isUnfiltered || options.isBackedUnfiltered === true,
            spec: connectionsOf(refersTo, {
              [options.backed]: { ...of(name, snakeCase(key)), ...orderedBy(rest.alias, options.backedOrder) },
            })[options.backed] as ConnectionSpec<K>,
          },
        ]
      : [],
  );
  for (const [key, { refersTo, options }] of Object.entries(fields)) {
    if (refersTo && options.having !== undefined) addFilterKey(refersTo, options.having, having(name, snakeCase(key)));
  }
  const owners = Object.entries(fields)
    .filter(([, { options }]) => options.owner)
    .map(([property, { refersTo }]) => ({ property, entity: refersTo as EntityKey }));
  const made: Declared<K, F> = {
    ...rest,
    name,
    row,
    fields,
    singular,
    plural: plural ?? `${singular}s`,
    payloadKey: payloadKey ?? singular,
    table: entityOf(name).table,
    mutations,
    seeds: [seeds].flat() as readonly SeedPlace[],
    isArchived,
    isUnfiltered,
    isUnlisted: declaration.isUnlisted === true,
    backed,
    owners,
    types: makeTypes({
      name,
      fields,
      payloadKey: payloadKey ?? singular,
      inputs: Object.fromEntries(Object.entries(filter).map(([key, { input }]) => [key, input])),
      isNullablePayload: nullablePayload === true,
      isUnfiltered,
      isHidden: declaration.isHidden === true,
      isSlugged: declaration.isSlugged === true,
      nestsCollectionFilter: declaration.nestsCollectionFilter === true,
      sorts: { ...ownSorts, ...sorts },
    }),
    data: (given) => dataOf(fields, given),
  };
  declared.set(name, made as unknown as Declared);
  return made;
}

const orderedBy = (alias: string, column: string | undefined) =>
  column === undefined
    ? {}
    : { natural: { sql: `${alias}.${snakeCase(column)}`, kind: 'number' as const, descending: false } };

function filterKeys(fields: Fields): FilterKeys {
  const keys = Object.entries(fields).flatMap(([name, { type, options, refersTo }]): [string, FilterKey][] => {
    const column = snakeCase(name);
    if (refersTo) return options.through === false ? [] : [[relationName(name), one(refersTo, column)]];
    if (!type.compares || options.filter === false) return [];
    const key = type.compares.key(column);
    // a class is a comparator, another function the SQL of a computed value
    const isSql = typeof options.filter === 'function' && !isClass(options.filter);
    return [[name, isSql ? { is: key.is, sql: options.filter as typeof key.sql } : key]];
  });
  return Object.fromEntries(keys);
}

const isClass = (given: object): boolean => Object.hasOwn(given, 'prototype');

const sortKey = (name: string, { type, options }: Field): SortKey =>
  type.sorts === 'text'
    ? ownName(snakeCase(name))
    : plain(snakeCase(name), type.sorts ?? 'number', options.nullable === true);

/** `teamId` refers to the `team`. */
export const relationName = (property: string): string => property.replace(/Id$/, '');

function dataOf(fields: Fields, given: object): Record<string, unknown> {
  const row = given as Readonly<Record<string, unknown>>;
  const { id: own, createdAt, updatedAt } = row;
  const told = Object.entries(fields).flatMap(([name, { options, constant, isComputed, isInput }]) =>
    isComputed || isInput || options.event === false ? [] : [[name, constant ? constant.value : row[name]]],
  );
  return { id: own, createdAt, updatedAt, ...Object.fromEntries(told) };
}
