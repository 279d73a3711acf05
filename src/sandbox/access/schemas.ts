import type { ApiResponseSchemaHost } from '@nestjs/swagger';

/** Inline schemas: clients are generated from these. */
export type SchemaObject = ApiResponseSchemaHost['schema'] & { readonly $ref?: never };

export const text: SchemaObject = { type: 'string' };
export const integer: SchemaObject = { type: 'integer' };
export const number: SchemaObject = { type: 'number' };
export const flag: SchemaObject = { type: 'boolean' };
/** Any JSON value. */
export const anything: SchemaObject = {};
/** Any JSON object. */
export const open: SchemaObject = { type: 'object', additionalProperties: true };
export const isoTime: SchemaObject = { type: 'string', format: 'date-time' };

export const orNull = (schema: SchemaObject): SchemaObject => ({ ...schema, nullable: true });
export const oneOf = (...words: readonly string[]): SchemaObject => ({ type: 'string', enum: [...words] });
export const between = (minimum: number, maximum: number): SchemaObject => ({ type: 'integer', minimum, maximum });
export const listOf = (items: SchemaObject): SchemaObject => ({ type: 'array', items });
export const mapOf = (schema: SchemaObject): SchemaObject => ({ type: 'object', additionalProperties: schema });

/** An object whose fields are all required except the `optional` ones. */
export const objectOf = (
  properties: Record<string, SchemaObject>,
  optional: Record<string, SchemaObject> = {},
): SchemaObject => ({
  type: 'object',
  ...(Object.keys(properties).length > 0 && { required: Object.keys(properties) }),
  properties: { ...properties, ...optional },
});

export const described = (schema: SchemaObject, description: string): SchemaObject => ({ ...schema, description });

export const MATCHER = described(open, 'a matcher');
export const SUCCESS_SCHEMA = objectOf({ success: flag });

/** A refusal; `message` is a list where a body has several faults. */
export const ERROR_SCHEMA = objectOf(
  { statusCode: integer, message: { oneOf: [text, listOf(text)] }, error: text },
  { path: described(text, 'what of the body it is about') },
);
