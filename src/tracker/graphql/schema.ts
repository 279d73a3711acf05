import type { Type } from '@nestjs/common';
import {
  RESOLVER_NAME_METADATA,
  RESOLVER_PROPERTY_METADATA,
  RESOLVER_TYPE_METADATA,
  TypeMetadataStorage,
} from '@nestjs/graphql';
import { type GraphQLSchema, isObjectType, isScalarType } from 'graphql';
import { attachConstants, constantsOf } from './constants.js';
import { attachedRelations, attachRelations, extendWith, nameOf, type Relations } from './relations.js';
import { bindClock, type Now } from './scalars.js';
import { guardArguments } from './validate.js';

/**
 * The classes that relations name, for Nest's `buildSchemaOptions.orphanedTypes`: they are added after Nest has built
 * its schema, so nothing else may lead to them.
 */
export function relatedTypes(): (Type<unknown> | object)[] {
  const named = attachedRelations().flatMap(({ types, fields }) => [
    ...types().filter((type) => typeof type !== 'string'),
    ...Object.values(fields).flatMap(({ type, args = {} }) =>
      [...(type ? [type.of] : []), ...Object.values(args)].flatMap((of) => of()),
    ),
  ]);
  return [...new Set(named)].filter((type) => type !== Boolean && !isScalarType(type));
}

/** Fields with one value on every object, by type: those that a class initialises. */
export function constantsByType(): Record<string, object> {
  const types = TypeMetadataStorage.getObjectTypesMetadata().filter(({ isAbstract }) => !isAbstract);
  const entries = types.map(({ target }) => [nameOf(target as Type<object>), constantsOf(target as Type<object>)]);
  return Object.fromEntries(entries.filter(([, constants]) => Object.keys(constants as object).length > 0));
}

export interface FinishOptions {
  relations?: readonly Relations[];
  now?: Now;
  /** Classes whose `@ResolveField` methods are kept. */
  resolvers?: Iterable<Type<unknown>>;
}

/**
 * The whole tracker schema out of the one Nest built from the resolvers and `relatedTypes`; Nest's `transformSchema`.
 * Relation fields are added and resolved, constants answered, arguments checked before any resolver runs, and durations
 * counted from `now`.
 */
export function finishTrackerSchema(
  nestSchema: GraphQLSchema,
  { relations = attachedRelations(), now = () => new Date(), resolvers = [] }: FinishOptions = {},
): GraphQLSchema {
  const schema = extendWith(nestSchema, relations);
  readPlainFieldsDirectly(schema, resolvedFields(resolvers));
  attachConstants(schema, constantsByType());
  attachRelations(schema, relations);
  bindClock(schema, now);
  guardArguments(schema, now);
  return schema;
}

/**
 * Nest gives every declared field a resolver that only reads a property; without it, executors read it themselves. The
 * methods that `@ResolveField` marks stay.
 */
function readPlainFieldsDirectly(schema: GraphQLSchema, resolved: ReadonlySet<string>): void {
  const roots = [schema.getQueryType(), schema.getMutationType()].map((type) => type?.name);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__') || roots.includes(type.name)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!resolved.has(`${type.name}.${field.name}`)) field.resolve = undefined;
    }
  }
}

/** `Cycle.label`, …: the fields that methods with `@ResolveField` answer. */
function resolvedFields(resolvers: Iterable<Type<unknown>>): Set<string> {
  const found = new Set<string>();
  for (const resolver of resolvers) {
    const type = Reflect.getMetadata(RESOLVER_TYPE_METADATA, resolver) as string | undefined;
    for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(resolver.prototype ?? {}))) {
      if (typeof value !== 'function' || !Reflect.hasMetadata(RESOLVER_PROPERTY_METADATA, value)) continue;
      const name = (Reflect.getMetadata(RESOLVER_NAME_METADATA, value) as string | undefined) ?? key;
      found.add(`${type}.${name}`);
    }
  }
  return found;
}
