import type { FilterKeys } from '../query/filter/keys.js';
import { allOf, type QueryScope } from '../query/query-scope.js';
import type { SortKey } from '../query/sort-keys.js';
import type { EntityKey, EntityRows } from './entity-rows.js';
import { isUuid } from '../values/uuid.js';
import { columnsOf, type RowClass, storedColumns, tableOf } from '../../kernel/database/columns.js';
import { snakeCase } from '../../kernel/database/store-names.js';

/*
 * What the tracker knows of an entity is declared once, in its folder, with `defineEntity`; doors, loaders, pages,
 * filters and events look it up here.
 */

export interface ListOptions {
  includeArchived?: boolean | null;
  includeDisabled?: boolean | null;
}

/** Rows by id, as the caller of one request sees them. */
export interface RowReader {
  row<K extends EntityKey>(entity: K, id: string | null): Promise<EntityRows[K] | null> | null;
}

/** Which rows of its organization a caller sees; private teams hide what is in them from everybody else. */
export interface EntityAccess<R> {
  /** As SQL, `hidden` being the ids of the private teams without the caller. */
  condition(alias: string, hidden: string): string;
  /** The same of a row at hand. */
  isHidden(row: R, isHiddenTeam: (teamId: string) => boolean, read: RowReader): boolean | Promise<boolean>;
}

/** By which column an argument's text finds a row, or undefined when it can be no id of this entity. */
export type Lookup = { by: 'id' | 'identifier' | 'key' | 'slug_id'; value: string } | undefined;

export interface EntityDefinition<R extends object> {
  row: RowClass<R>;
  /** Its alias where a statement is about it; nested ones get numbered aliases. */
  alias: string;
  /** Absent: everybody in the organization sees all rows. */
  access?: EntityAccess<R>;
  /** What lists leave out unless asked (docs/reference/tracker.md#entities, #team, #connections). */
  listed?(alias: string, scope: QueryScope, options: ListOptions): string | undefined;
  /** Other forms of ids than UUIDs. */
  lookup?(id: string, caller: { userId: string }): Lookup;
  /** The keys of its filters, but `and`, `or`, `null`, `some`, `every`, `length`. */
  filter?: FilterKeys;
  /** The keys of its `sort`. */
  sorts?: Readonly<Record<string, SortKey>>;
}

/** A definition with what its row class says. */
export interface EntitySpec extends Omit<EntityDefinition<object>, 'access'> {
  readonly name: EntityKey;
  readonly table: string;
  columns(alias: string): string;
  /** The properties that are dates. */
  readonly moments: readonly string[];
  readonly access?: EntityAccess<never>;
}

const specs = new Map<EntityKey, EntitySpec>();

/** Declares an entity. Call it once, beside the row class. */
export function defineEntity<K extends EntityKey>(name: K, definition: EntityDefinition<EntityRows[K]>): void {
  if (specs.has(name)) throw new Error(`the entity ${name} is declared twice`);
  const { row } = definition;
  specs.set(name, {
    ...(definition as unknown as EntityDefinition<object> & { access?: EntityAccess<never> }),
    name,
    table: tableOf(row),
    columns: (alias) => columnsOf(row, alias),
    moments: [...storedColumns(row)].filter(([, { cast }]) => cast === 'timestamptz').map(([property]) => property),
  });
}

export function entityOf(name: EntityKey): EntitySpec {
  const spec = specs.get(name);
  if (!spec) throw new Error(`no entity ${String(name)} is declared: is it in src/tracker/entities.ts?`);
  return spec;
}

/** All that are declared. */
export const allEntities = (): EntitySpec[] => [...specs.values()];

/** In the caller's organization and for the caller's eyes. */
export function visible(entity: EntityKey, alias: string, scope: QueryScope): string {
  const own = `${alias}.organization_id = ${scope.organizationId}`;
  const { access } = entityOf(entity);
  const hidden = access && scope.hiddenTeams;
  return hidden ? `${own} AND ${access.condition(alias, hidden)}` : own;
}

/** Seen with the team that `property` names; a row without a team is everybody's. */
export function teamAccess<P extends string>(property: P): EntityAccess<Record<P, string | null>> {
  const column = snakeCase(property);
  return {
    condition: (alias, hidden) => `${alias}.${column} <> ALL(${hidden})`,
    isHidden: ({ [property]: teamId }, isHiddenTeam) => teamId !== null && isHiddenTeam(teamId as string),
  };
}

/** The same where the column may be null. */
export function optionalTeamAccess<P extends string>(property: P): EntityAccess<Record<P, string | null>> {
  const { condition, isHidden } = teamAccess(property);
  return {
    condition: (alias, hidden) => `(${alias}.${snakeCase(property)} IS NULL OR ${condition(alias, hidden)})`,
    isHidden,
  };
}

export const isLive = (alias: string): string => `${alias}.archived_at IS NULL`;

/** Not in a deleted team; undefined when there is none. */
export function inLiveTeam(alias: string, scope: QueryScope): string | undefined {
  const archived = scope.archivedTeams;
  return archived && `${alias}.team_id <> ALL(${archived})`;
}

/** What lists show of things that are archived themselves and with their team. */
export const listedInLiveTeam: NonNullable<EntitySpec['listed']> = (alias, scope, { includeArchived }) =>
  includeArchived ? undefined : allOf([isLive(alias), inLiveTeam(alias, scope)]);

/** What lists show of things that are archived by themselves. */
export const listedLive: NonNullable<EntitySpec['listed']> = (alias, _scope, { includeArchived }) =>
  includeArchived ? undefined : isLive(alias);

/** The one form of id that every entity has. */
export const byUuid = (id: string): Lookup => (isUuid(id) ? { by: 'id', value: id.toLowerCase() } : undefined);
