import { entityOf } from '../store/define-entity.js';
import type { EntityKey } from '../store/entity-rows.js';
import { invalidArgument } from '../values/errors.js';
import type { QueryScope } from '../store/query-scope.js';
import type { OrderKey, SortOptions } from '../store/sort-keys.js';

export interface Ordering {
  /** Identifies the ordering in cursors; empty for the default one. */
  name: string;
  /** Ends with the id, so no two rows are equal. */
  keys: OrderKey[];
}

export interface OrderArgs {
  orderBy?: 'createdAt' | 'updatedAt' | null;
  sort?: readonly Readonly<Record<string, SortOptions | null | undefined>>[] | null;
}

const MAX_SORT_KEYS = 20;

/** The ordering that `sort` and `orderBy` ask for: newest first, ties by id descending. */
export function orderingOf(entity: EntityKey, args: OrderArgs, alias: string, scope: QueryScope): Ordering {
  const orderBy = args.orderBy ?? 'createdAt';
  const keys: OrderKey[] = [];
  const names: string[] = [];
  if (args.sort && args.sort.length > MAX_SORT_KEYS) {
    throw invalidArgument('sort', 'arrayMaxSize', `sort must contain no more than ${MAX_SORT_KEYS} elements`);
  }
  for (const object of args.sort ?? []) {
    const set = Object.entries(object).filter(([, options]) => options !== null && options !== undefined);
    if (set.length > 1) throw invalidArgument('sort', 'oneKey', 'each value in sort must have one key only');
    for (const [name, options] of set as [string, SortOptions][]) {
      const parts = entityOf(entity).sorts?.[name];
      if (!parts) throw new Error(`no sort key ${name} of ${entity}`);
      names.push(`${name}:${JSON.stringify(options, inOrder)}`);
      for (const { nullable, fixed, inner, ...part } of parts(alias, scope, options)) {
        const descending = fixed ? fixed === 'down' : (options.order ?? inner?.order) === 'Descending';
        const nulls = fixed ? 'last' : (options.nulls ?? inner?.nulls ?? 'last');
        keys.push({ ...part, descending, ...(nullable ? { nulls } : {}) });
      }
    }
  }
  const column = orderBy === 'updatedAt' ? 'updated_at' : 'created_at';
  keys.push({ sql: `${alias}.${column}`, kind: 'moment', descending: true, property: orderBy });
  keys.push({ sql: `${alias}.id`, kind: 'id', descending: true, property: 'id' });
  const name = [...names, ...(orderBy === 'updatedAt' ? ['updatedAt'] : [])].join(',');
  return { name, keys };
}

/** Of equal options the text is the same, whatever the order of their keys. */
const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
