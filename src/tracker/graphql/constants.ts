import type { Type } from '@nestjs/common';
import { type GraphQLSchema, isObjectType } from 'graphql';

/**
 * The values a type's initialised fields have on every object (docs/reference/tracker.md#entities, "Constants"). A
 * type class names such a field and its one value in the same line; rows hold only what differs from row to row. Use
 * it too where a wire object is made by hand (webhooks).
 */
export function constantsOf<T extends object>(type: Type<T>): Readonly<Partial<T>> {
  const values = Object.entries(new type()).filter(([, value]) => value !== undefined);
  return Object.freeze(Object.fromEntries(values)) as Partial<T>;
}

/** Answers each constant field of the named types without looking at the row. */
export function attachConstants(schema: GraphQLSchema, constants: Readonly<Record<string, object>>): void {
  for (const [typeName, values] of Object.entries(constants)) {
    const type = schema.getType(typeName);
    if (!isObjectType(type)) throw new Error(`Constants for ${typeName}, which is no object type of the schema`);
    for (const [name, value] of Object.entries(values)) {
      const field = type.getFields()[name];
      if (!field) throw new Error(`A constant for ${typeName}.${name}, which is no field of the schema`);
      field.resolve = () => value;
    }
  }
}
