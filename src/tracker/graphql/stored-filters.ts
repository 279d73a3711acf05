import { coerceInputValue, type GraphQLInputObjectType, type GraphQLSchema } from 'graphql';
import { filterPrice } from './filter-price.js';
import type { Filter } from '../query/filter/compile.js';
import { invalidArgument } from '../values/errors.js';

/** What a stored filter may cost, in tenths of a point: each reading of the view runs it, and is not charged for it. */
const PRICE_MAX = 10_000;

type FilterName = 'IssueFilter' | 'ProjectFilter';

const typeOf = (schema: GraphQLSchema, name: FilterName): GraphQLInputObjectType =>
  schema.getType(name) as GraphQLInputObjectType;

/** @throws invalidArgument for a filter that costs too much to be read again and again */
export function requireCheap(schema: GraphQLSchema, name: FilterName, property: string, filter: unknown): void {
  if (filterPrice(filter, typeOf(schema, name)) <= PRICE_MAX) return;
  throw invalidArgument(property, 'maxComplexity', `${property} must not ask for more than ${PRICE_MAX / 10} points`);
}

/**
 * A filter as it is stored, in the form of an argument: durations count from now.
 * @throws invalidArgument for one that a document brought and that is none
 */
export function storedFilter(schema: GraphQLSchema, name: FilterName, property: string, stored: unknown): Filter {
  return coerceInputValue(stored, typeOf(schema, name), () => {
    throw invalidArgument(property, `is${name}`, `${property} must be a filter`);
  }) as Filter;
}
