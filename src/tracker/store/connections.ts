import type { EntityKey } from './entity-rows.js';
import type { OrderKey } from './sort-keys.js';
import type { QueryScope } from './query-scope.js';

/** Child rows of a parent: a connection field of an object. */
export interface ConnectionSpec<K extends EntityKey = EntityKey> {
  /** `Issue.children` */
  readonly name: string;
  readonly entity: K;
  /** Holds for rows of the parent whose id is `parent`. */
  link(alias: string, parent: string, scope: QueryScope): string;
  /** A table the ordering needs. */
  join?(parent: string): string;
  /** The order without `orderBy`, where it is not newest first. */
  natural?: OrderKey;
}

type ConnectionOptions<K extends EntityKey = EntityKey> = Omit<ConnectionSpec<K>, 'name'>;

/** Rows whose column holds the parent's id. */
export const of = <K extends EntityKey>(entity: K, column: string): ConnectionOptions<K> => ({
  entity,
  link: (a, parent) => `${a}.${column} = ${parent}`,
});

/** Rows that another table links with the parent. */
export const linked = <K extends EntityKey>(
  entity: K,
  table: string,
  own: string,
  other: string,
): ConnectionOptions<K> => ({
  entity,
  link: (a, parent) => `EXISTS (SELECT 1 FROM ${table} x WHERE x.${own} = ${parent} AND x.${other} = ${a}.id)`,
});

/** The connections of one kind of parent, by field name. */
export function connectionsOf<S extends Record<string, ConnectionOptions>>(
  parent: EntityKey,
  specs: S,
): { readonly [N in keyof S]: ConnectionSpec<S[N]['entity']> } {
  const named = Object.entries(specs).map(([name, spec]) => [name, { ...spec, name: `${parent}.${name}` }]);
  return Object.fromEntries(named) as { [N in keyof S]: ConnectionSpec<S[N]['entity']> };
}
