import type { Type } from '@nestjs/common';
import { TypeMetadataStorage } from '@nestjs/graphql';
import {
  extendSchema,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLInt as Int,
  GraphQLScalarType,
  GraphQLString as Text,
  isObjectType,
  parse,
} from 'graphql';
import type { ConnectionSpec } from '../store/connections.js';
import type { PageArgs } from '../query/page.js';
import { PaginationOrderBy } from './connections.js';
import type { Loaders, RelationContext } from './context.js';

/*
 * The fields by which types refer to each other. Type files never import each other, so these fields are declared in
 * `*.relations.ts` files, with their resolvers, and added when the schema is built. Resolvers run outside Nest's
 * pipeline, which would cost more than they do (docs/decisions/tracker-graphql-edge.md).
 */

type Named = Type<unknown> | GraphQLScalarType | BooleanConstructor | typeof PaginationOrderBy;
/** The class of a GraphQL type or a list of it: `() => UserType`, `() => [ProjectStatusType]`. */
export type TypeOf = () => Named | [Named];
export type ArgTypes = Readonly<Record<string, TypeOf>>;

/** The arguments relation fields take among them, checked; which of them a field has is declared with it. */
export interface RelationArgs extends PageArgs {
  /** Accepted and ignored. */
  includeSubTeams?: boolean | null;
  /** False: those of an initiative alone, not of those below it. */
  includeSubInitiatives?: boolean | null;
}

/** `row` is what the parent resolver returned; batch through `load`, never query per node. */
export type RelationResolver<Row> = (
  row: Row,
  load: Loaders,
  args: RelationArgs,
  context: RelationContext,
  info: GraphQLResolveInfo,
) => unknown;

export interface RelationField<Row> {
  /** Absent for a field that the type's class declares itself. */
  type?: { of: TypeOf; isNullable: boolean };
  args?: ArgTypes;
  resolve: RelationResolver<Row>;
}

/** Additions to types of the schema: fields with resolvers, or keys of filters. */
export interface Relations {
  kind: 'type' | 'input';
  /** Classes, or names of types that are in the schema anyway. */
  types: () => readonly (Type<unknown> | string)[];
  fields: Readonly<Record<string, RelationField<never>>>;
}

/** Refers to one entity, which may be absent or hidden. */
export const nullable = <Row>(of: TypeOf, resolve: RelationResolver<Row>): RelationField<Row> => ({
  type: { of, isNullable: true },
  resolve,
});

/** Never null. */
export const required = <Row>(of: TypeOf, resolve: RelationResolver<Row>, args?: ArgTypes): RelationField<Row> => ({
  type: { of, isNullable: false },
  resolve,
  ...(args && { args }),
});

/** A field with the same value on every object: null, or an empty list (docs/reference/tracker.md#entities). */
export const always = (of: TypeOf, value: null | readonly []): RelationField<unknown> => ({
  type: { of, isNullable: value === null },
  resolve: () => value,
});

/** A field that the type's class declares, and whose value depends on the caller or is computed. */
export const derived = <Row>(resolve: RelationResolver<Row>): RelationField<Row> => ({ resolve });

const PAGE_ARGS: ArgTypes = {
  first: () => Int,
  after: () => Text,
  last: () => Int,
  before: () => Text,
  includeArchived: () => Boolean,
  orderBy: () => PaginationOrderBy,
};

/** A connection with the arguments that all have, and those given; read as the connection says, or by a resolver. */
export const page = <Row>(
  of: TypeOf,
  source: ConnectionSpec | RelationResolver<Row>,
  args: ArgTypes = {},
): RelationField<Row> => ({
  type: { of, isNullable: false },
  args: { ...PAGE_ARGS, ...args },
  resolve:
    typeof source === 'function' ? source : (row, load, given) => load.page(source, (row as { id: string }).id, given),
});

/** What searches find, by the type that it shows: it has all of that type's relations. */
const SEARCH_RESULTS: Readonly<Record<string, string>> = {
  Document: 'DocumentSearchResult',
  Issue: 'IssueSearchResult',
  Project: 'ProjectSearchResult',
};

/**
 * The relation fields of a type, and its own computed fields. `Row` is what its resolvers get. The results of a search
 * have them as well, unless it says otherwise.
 */
export function relationsOf<Row>(
  type: () => Type<unknown>,
  fields: Record<string, RelationField<Row>>,
  { ofResults = true }: { ofResults?: boolean } = {},
): Relations {
  const types = (): Type<unknown>[] => {
    const result = ofResults ? SEARCH_RESULTS[nameOf(type())] : undefined;
    return [type(), ...(result !== undefined && isTypeNamed(result) ? [typeNamed(result)] : [])];
  };
  return { kind: 'type', types, fields: fields as Relations['fields'] };
}

/** The filter keys for the entities that an entity refers to; the same for each of its filter types. */
export function filterRelations(types: Relations['types'], keys: Record<string, TypeOf>): Relations {
  const fields = Object.entries(keys).map(([name, of]) => [name, nullable(of, () => null)]);
  return { kind: 'input', types, fields: Object.fromEntries(fields) as Relations['fields'] };
}

const attached: Relations[] = [];

/** On a resolver class: what its types refer to. The schema has these fields wherever the resolver is loaded. */
export function WithRelations(...relations: readonly Relations[]): ClassDecorator {
  return () => {
    attached.push(...relations);
  };
}

/** All that resolver classes have attached. */
export const attachedRelations = (): readonly Relations[] => attached;

/** The schema with the fields added. Existing parts (resolvers, scalars, extensions) are kept. */
export function extendWith(schema: GraphQLSchema, added: readonly Relations[]): GraphQLSchema {
  const sdl = added.flatMap(({ kind, types, fields }) => {
    const lines = Object.entries(fields).flatMap(([name, { type, args }]) =>
      type ? [`${name}${argsText(args)}: ${typeText(type.of)}${type.isNullable ? '' : '!'}`] : [],
    );
    return lines.length === 0 ? [] : types().map((type) => `extend ${kind} ${nameOf(type)} {\n${lines.join('\n')}\n}`);
  });
  if (sdl.length === 0) return schema;
  return extendSchema(schema, parse(sdl.join('\n'), { noLocation: true }), { assumeValid: true });
}

/** Attaches resolvers; one for a field that does not exist is an error. */
export function attachRelations(schema: GraphQLSchema, relations: readonly Relations[]): void {
  for (const { kind, types, fields } of relations) {
    if (kind === 'input') continue;
    for (const typeName of types().map(nameOf)) {
      const type = schema.getType(typeName);
      for (const [name, spec] of Object.entries(fields)) {
        const field = isObjectType(type) ? type.getFields()[name] : undefined;
        if (!field) throw new Error(`A resolver for ${typeName}.${name}, which is no field of the schema`);
        const resolve = spec.resolve as RelationResolver<unknown>;
        field.resolve = (row, args: RelationArgs, context: RelationContext, info) =>
          resolve(row, context.load, args, context, info);
      }
    }
  }
}

/** The name on the wire of a type's class, as its decorator says. */
export function nameOf(type: Named | string): string {
  if (typeof type === 'string') return type;
  if (type instanceof GraphQLScalarType) return type.name;
  if (type === Boolean) return 'Boolean';
  if (type === PaginationOrderBy) return 'PaginationOrderBy';
  const known = [...TypeMetadataStorage.getObjectTypesMetadata(), ...TypeMetadataStorage.getInputTypesMetadata()];
  const name = known.find(({ target }) => target === type)?.name;
  if (name === undefined) throw new Error(`${(type as Type<unknown>).name} is no class of a GraphQL type`);
  return name;
}

/** The class of a type by its name on the wire: for what refers to types of other families. */
export function typeNamed(name: string): Type<object> {
  const known = [...TypeMetadataStorage.getObjectTypesMetadata(), ...TypeMetadataStorage.getInputTypesMetadata()];
  const found = known.find((type) => type.name === name && type.isAbstract !== true);
  if (!found) throw new Error(`there is no GraphQL type ${name}`);
  return found.target as Type<object>;
}

const isTypeNamed = (name: string): boolean =>
  TypeMetadataStorage.getObjectTypesMetadata().some((type) => type.name === name);

function typeText(of: TypeOf): string {
  const type = of();
  return Array.isArray(type) ? `[${nameOf(type[0])}!]` : nameOf(type);
}

function argsText(args: ArgTypes = {}): string {
  const parts = Object.entries(args).map(([name, of]) => `${name}: ${typeText(of)}`);
  return parts.length === 0 ? '' : `(${parts.join(', ')})`;
}
