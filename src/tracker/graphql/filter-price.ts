import { getNamedType, isInputObjectType, type GraphQLInputObjectType, type GraphQLInputType } from 'graphql';

/** The factor by which a relation in a filter multiplies the price of everything below it. */
const RELATION = 10;
/** How many collections (`some`, `every`, a plain collection filter) may be nested. */
const MAX_COLLECTIONS = 3;
/** Nesting of `and`, `or` and relations; the filter compiler accepts less. */
const MAX_DEPTH = 200;
/** Beyond every limit that can be configured. */
const TOO_MUCH = Number.POSITIVE_INFINITY;

/**
 * The price of a filter, in tenths of a point: each comparator one, ten times as much for each relation above it. The
 * store follows a relation for every row it reads, so the price follows the work. Infinite when collections are nested
 * more than three deep.
 */
export function filterPrice(value: unknown, type: GraphQLInputType): number {
  const named = getNamedType(type);
  return isInputObjectType(named) ? priceOf(value, named, 1, 0, 0) : 0;
}

function priceOf(
  value: unknown,
  type: GraphQLInputObjectType,
  factor: number,
  collections: number,
  depth: number,
): number {
  if (collections > MAX_COLLECTIONS || depth > MAX_DEPTH) return TOO_MUCH;
  if (Array.isArray(value))
    return value.reduce((sum, each) => sum + priceOf(each, type, factor, collections, depth + 1), 0);
  if (typeof value !== 'object' || value === null) return 0;
  const fields = type.getFields();
  let sum = 0;
  for (const [key, given] of Object.entries(value)) {
    const field = fields[key];
    if (!field || given === null || given === undefined) continue;
    const inner = getNamedType(field.type);
    if (!isInputObjectType(inner) || !isFilter(inner)) sum += factor * comparatorsIn(given);
    else if (isSameRow(key)) sum += priceOf(given, inner, factor, collections, depth + 1);
    else sum += priceOf(given, inner, factor * RELATION, collections + (isCollection(inner) ? 1 : 0), depth + 1);
  }
  return sum;
}

const isFilter = ({ name }: GraphQLInputObjectType): boolean => name.endsWith('Filter');
const isCollection = ({ name }: GraphQLInputObjectType): boolean => name.endsWith('CollectionFilter');
/** Keys that refer to the same rows; the relation to a collection's elements is counted at its own key. */
const isSameRow = (key: string): boolean => key === 'and' || key === 'or' || key === 'some' || key === 'every';

/** One, and those that a comparator combines by `and` and `or`. */
function comparatorsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const { and, or } = value as { and?: unknown; or?: unknown };
  return 1 + (Array.isArray(and) ? and.length : 0) + (Array.isArray(or) ? or.length : 0);
}
