import { Field, type FieldOptions, type ReturnTypeFunc } from '@nestjs/graphql';

/** A field that may be null. The type is always named: a union with null says nothing at run time. */
export function OptionalField(type: ReturnTypeFunc, options: FieldOptions = {}): PropertyDecorator {
  return Field(type, { ...options, nullable: true });
}
