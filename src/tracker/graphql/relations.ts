import { extendSchema, type GraphQLResolveInfo, type GraphQLSchema, isObjectType, parse } from 'graphql';
import type { PageArgs } from '../model/page.js';
import type { Loaders, RelationContext } from './context.js';

/** One relation field: its type in SDL, its arguments in SDL, and, when it never differs, its value. */
export interface FieldSpec {
  type: string;
  args?: string;
  value?: unknown;
}

/** Fields added to types when the schema is built. Type files never import each other, so relations are named in SDL. */
export interface AddedFields {
  kind: 'type' | 'input';
  types: readonly string[];
  fields: Readonly<Record<string, FieldSpec>>;
}

/** `row` is whatever the resolver above gave; batch through `load`, never query per node. */
export type RelationResolver<Row> = (
  row: Row,
  load: Loaders,
  args: RelationArgs,
  context: RelationContext,
  info: GraphQLResolveInfo,
) => unknown;

/** The arguments relation fields take among them, checked; which of them a field has is in its SDL. */
export interface RelationArgs extends PageArgs {
  /** Accepted and ignored. */
  includeSubTeams?: boolean | null;
}

export interface Relations {
  type: string;
  resolvers: Readonly<Record<string, RelationResolver<never>>>;
}

const PAGE =
  'first: Int, after: String, last: Int, before: String, includeArchived: Boolean, orderBy: PaginationOrderBy';

/** `fieldsOf('Issue', { team: 'Team!', comments: page('CommentConnection', 'filter: CommentFilter') })` */
export function fieldsOf(type: string, fields: Record<string, string | FieldSpec>): AddedFields {
  const specs = Object.entries(fields).map(([name, spec]) => [name, typeof spec === 'string' ? { type: spec } : spec]);
  return { kind: 'type', types: [type], fields: Object.fromEntries(specs) };
}

/** The keys of filters that hold a filter on what the entity refers to; the same ones for each of its filter types. */
export function filterKeysOf(types: readonly string[], keys: Record<string, string>): AddedFields {
  const specs = Object.entries(keys).map(([name, type]) => [name, { type }]);
  return { kind: 'input', types, fields: Object.fromEntries(specs) };
}

/** A connection with the arguments of PAGE and those given. */
export function page(connection: string, args?: string): FieldSpec {
  return { type: `${connection}!`, args: args ? `${PAGE}, ${args}` : PAGE };
}

/** A field whose value never differs: references that are always null (tracker.md b). */
export function always(type: string, value: unknown): FieldSpec {
  return { type, value };
}

/**
 * The plain resolvers of a type's relation fields, and of those own fields which depend on the caller or are derived
 * (`branchName`, `isMe`, `progress`). Attached where the schema is built, outside Nest's pipeline (stack.md "GraphQL").
 */
export function relationsOf<Row>(type: string, resolvers: Record<string, RelationResolver<Row>>): Relations {
  return { type, resolvers: resolvers as Relations['resolvers'] };
}

/** The schema with the fields added. What it had (resolvers, scalars, extensions) stays as it was. */
export function extendWith(schema: GraphQLSchema, added: readonly AddedFields[]): GraphQLSchema {
  const sdl = added.flatMap(({ kind, types, fields }) => {
    const lines = Object.entries(fields).map(([name, { type, args }]) => `${name}${args ? `(${args})` : ''}: ${type}`);
    return types.map((type) => `extend ${kind} ${type} {\n${lines.join('\n')}\n}`);
  });
  return extendSchema(schema, parse(sdl.join('\n'), { noLocation: true }), { assumeValid: true });
}

/** Puts the constant values of added fields and the resolvers in place; a resolver for no field at all is a fault. */
export function attachRelations(
  schema: GraphQLSchema,
  added: readonly AddedFields[],
  relations: readonly Relations[],
): void {
  const specs = new Map(added.flatMap(({ types, fields }) => types.map((type) => [type, fields] as const)));
  for (const [typeName, fields] of specs) {
    const type = schema.getType(typeName);
    if (!isObjectType(type)) continue;
    for (const [name, spec] of Object.entries(fields)) {
      if ('value' in spec) type.getFields()[name]!.resolve = () => spec.value;
    }
  }
  for (const { type: typeName, resolvers } of relations) {
    const type = schema.getType(typeName);
    for (const [name, resolver] of Object.entries(resolvers)) {
      const field = isObjectType(type) ? type.getFields()[name] : undefined;
      if (!field) throw new Error(`A resolver for ${typeName}.${name}, which is no field of the schema`);
      const resolve = resolver as RelationResolver<unknown>;
      field.resolve = (row, args: RelationArgs, context: RelationContext, info) =>
        resolve(row, context.load, args, context, info);
    }
  }
}

/** `Issue.team`, …: the relation fields that neither a constant nor one of these resolvers answers. */
export function unresolvedRelations(added: readonly AddedFields[], relations: readonly Relations[]): string[] {
  const resolved = new Set(relations.flatMap((r) => Object.keys(r.resolvers).map((name) => `${r.type}.${name}`)));
  return added
    .filter(({ kind }) => kind === 'type')
    .flatMap(({ types, fields }) =>
      types.flatMap((type) =>
        Object.entries(fields)
          .filter(([, spec]) => !('value' in spec))
          .map(([name]) => `${type}.${name}`),
      ),
    )
    .filter((name) => !resolved.has(name));
}
