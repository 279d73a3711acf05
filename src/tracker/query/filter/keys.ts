import type { EntityKey } from '../../store/entity-rows.js';
import type { QueryScope } from '../query-scope.js';

/** A key that compares a value of the row: how the comparator reads it, and the SQL of the value. */
export interface ValueKey {
  is: 'text' | 'number' | 'boolean' | 'moment' | 'day' | 'id' | 'issueId' | 'projectId';
  sql(alias: string, scope: QueryScope): string;
}

/** A key that filters the one entity a row refers to. */
export interface OneKey {
  is: 'one';
  entity: EntityKey;
  /** The column that holds its id. */
  column: string;
}

/** A key that filters the entities belonging to a row. */
export interface ManyKey {
  is: 'many';
  entity: EntityKey;
  /** The rows that connect the two; joined with the elements. */
  through?: string;
  /** Holds for an element (and the connecting row, `x`) of the row. */
  link(alias: string, element: string): string;
  /** The row's own array of element ids: "some element" then is one look at it, with an index. */
  array?: string;
}

/** A key for something that never exists here: it matches `{ null: true }` alone. */
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
export const many = (entity: EntityKey, link: ManyKey['link']): ManyKey => ({ is: 'many', entity, link });
/** Elements whose column holds the row's id. */
export const having = (entity: EntityKey, column: string): ManyKey =>
  many(entity, (a, e) => `${e}.${column} = ${a}.id`);
export const through = (entity: EntityKey, table: string, own: string, other: string): ManyKey => ({
  is: 'many',
  entity,
  through: table,
  link: (a, e) => `x.${own} = ${a}.id AND ${e}.id = x.${other}`,
});
export const nothing: NothingKey = { is: 'nothing' };

/** The keys that every filter has. */
export const id = value('id', 'id');
export const times = { createdAt: moment('created_at'), updatedAt: moment('updated_at') };
