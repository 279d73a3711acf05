import type { EntityKey } from './entity-rows.js';
import type { QueryScope } from './query-scope.js';

/** A key that compares a value of the row: how the comparator reads it, and the SQL of the value. */
export interface ValueKey {
  is: 'text' | 'number' | 'boolean' | 'moment' | 'day' | 'id' | 'issueId' | 'projectId' | 'texts';
  sql(alias: string, scope: QueryScope): string;
}

/** A key that filters the one entity a row refers to. */
export interface OneKey {
  is: 'one';
  entity: EntityKey;
  /** The column with its id. */
  column: string;
  /** As SQL: while it is not met, the row refers to nothing. */
  when?(alias: string, scope: QueryScope): string;
  /** What its filter asks, where that is not what filters of the entity ask. */
  keys?: FilterKeys;
}

/** A key that filters the entities that refer to the row. */
export interface OwnedKey {
  is: 'many';
  entity: EntityKey;
  /** The rows that connect the two, as `x`, and the join condition of an element. */
  through?: { table: string | ((scope: QueryScope) => string); join(element: string): string };
  /** The id of the row that an element belongs to. */
  owner(element: string, scope: QueryScope): string;
}

/** A key that filters the entities whose ids are in an indexed array of the row. */
export interface ListedKey {
  is: 'many';
  entity: EntityKey;
  array: string;
}

export type ManyKey = OwnedKey | ListedKey;

/** A key for a relation that never exists here: it matches `{ null: true }` alone. */
export interface NothingKey {
  is: 'nothing';
}

export type FilterKey = ValueKey | OneKey | ManyKey | NothingKey;
export type FilterKeys = Readonly<Record<string, FilterKey>>;

export const value = (is: ValueKey['is'], column: string): ValueKey => ({ is, sql: (a) => `${a}.${column}` });
export const text = (column: string) => value('text', column);
export const number = (column: string) => value('number', column);
export const boolean = (column: string) => value('boolean', column);
export const moment = (column: string) => value('moment', column);
/** A day compared with moments: its midnight, UTC. */
export const midnight = (column: string): ValueKey => ({
  is: 'moment',
  sql: (a) => `timezone('UTC', ${a}.${column}::timestamp)`,
});
export const one = (entity: EntityKey, column: string): OneKey => ({ is: 'one', entity, column });
/** Elements whose ids are in an array of the row. */
export const listed = (entity: EntityKey, array: string): ListedKey => ({ is: 'many', entity, array });
/** Elements whose column holds the row's id. */
export const having = (entity: EntityKey, column: string): OwnedKey => ({
  is: 'many',
  entity,
  owner: (e) => `${e}.${column}`,
});
export const through = (entity: EntityKey, table: string, own: string, other: string): OwnedKey => ({
  is: 'many',
  entity,
  through: { table, join: (e) => `${e}.id = x.${other}` },
  owner: () => `x.${own}`,
});
export const nothing: NothingKey = { is: 'nothing' };

/** The keys that every filter has. */
export const id = value('id', 'id');
export const times = { createdAt: moment('created_at'), updatedAt: moment('updated_at') };
