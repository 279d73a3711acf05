import { type EntityAccess, visibleRows } from './hidden-teams.js';
import type { FilterKey, FilterKeys } from './filter-keys.js';
import { allOf, type QueryScope } from './query-scope.js';
import type { SortKey } from './sort-keys.js';
import type { EntityKey, EntityRows } from './entity-rows.js';
import { isUuid } from '../values/uuid.js';
import { columnsOf, type RowClass, storedColumns, tableOf } from '../../kernel/database/columns.js';

/*
 * An entity is declared once, in its folder, with `defineEntity`; access, loaders, pages, filters and events look it up
 * here.
 */

export interface ListOptions {
  includeArchived?: boolean | null;
  includeDisabled?: boolean | null;
}

/** The column by which an argument's text finds a row, or undefined when it cannot be an id of this entity. */
export type Lookup = { by: 'id' | 'identifier' | 'key' | 'slug_id'; value: string } | undefined;

export interface EntityDefinition<R extends object> {
  row: RowClass<R>;
  /** Its alias in statements about it; nested ones get numbered aliases. */
  alias: string;
  /** Absent: everyone in the organization sees all rows. */
  access?: EntityAccess<R>;
  /** The property with the id of the user who alone sees a row; absent: it is nobody's own. */
  ownedBy?: string;
  /** The property that shows a row to the others as well where it is true. */
  sharedIf?: string;
  /** What lists leave out by default (docs/reference/tracker.md#entities, #team, #connections). */
  listed?(alias: string, scope: QueryScope, options: ListOptions): string | undefined;
  /** Other forms of ids than UUIDs. */
  lookup?(id: string, caller: { userId: string }): Lookup;
  /** The keys of its filters, but `and`, `or`, `null`, `some`, `every`, `length`. */
  filter?: FilterKeys;
  /** The keys of its `sort`. */
  sorts?: Readonly<Record<string, SortKey>>;
  /** Its name in `/changes` and assertions, and columns that change by themselves besides `updated_at`. */
  changes?: { readonly name: string; readonly follows?: readonly string[] };
  /** As SQL: what shows besides its id where others refer to it. */
  title?(alias: string): string;
  /** Columns with ids of other entities, and what shows their names. */
  references?: Readonly<Record<string, string>>;
}

/** A definition with the metadata of its row class. */
export interface EntitySpec extends Omit<EntityDefinition<object>, 'access'> {
  readonly name: EntityKey;
  readonly table: string;
  columns(alias: string): string;
  /** The properties that are dates. */
  readonly moments: readonly string[];
  readonly access?: EntityAccess<never>;
}

const specs = new Map<EntityKey, EntitySpec>();
const keysOfOthers = new Map<EntityKey, FilterKeys>();

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

/** A key of an entity's filters that another entity brings along: `attachments` of issues. */
export function addFilterKey(entity: EntityKey, name: string, key: FilterKey): void {
  keysOfOthers.set(entity, { ...keysOfOthers.get(entity), [name]: key });
}

/** A key of the filters of an entity, its own or one that another brought along. */
export const filterKeyOf = (entity: EntityKey, key: string): FilterKey | undefined =>
  entityOf(entity).filter?.[key] ?? keysOfOthers.get(entity)?.[key];

export function entityOf(name: EntityKey): EntitySpec {
  const spec = specs.get(name);
  if (!spec) throw new Error(`no entity ${String(name)} is declared: is it in src/tracker/entities.ts?`);
  return spec;
}

/** All declared entities. */
export const allEntities = (): EntitySpec[] => [...specs.values()];

/** In the caller's organization and for the caller's eyes. */
export const visible = (entity: EntityKey, alias: string, scope: QueryScope): string =>
  visibleRows(entityOf(entity), alias, scope);

export const isLive = (alias: string): string => `${alias}.archived_at IS NULL`;

/** Not in a deleted team; undefined when there is none. */
export function inLiveTeam(alias: string, scope: QueryScope): string | undefined {
  const archived = scope.archivedTeams;
  return archived && `${alias}.team_id <> ALL(${archived})`;
}

/** What lists show of entities that are archived themselves and with their team. */
export const listedInLiveTeam: NonNullable<EntitySpec['listed']> = (alias, scope, { includeArchived }) =>
  includeArchived ? undefined : allOf([isLive(alias), inLiveTeam(alias, scope)]);

/** What lists show of entities that are archived by themselves. */
export const listedLive: NonNullable<EntitySpec['listed']> = (alias, _scope, { includeArchived }) =>
  includeArchived ? undefined : isLive(alias);

/** What lists show of entities that may belong to a team. */
export const listedInOptionalTeam: NonNullable<EntitySpec['listed']> = (alias, scope, { includeArchived }) => {
  const condition = includeArchived ? undefined : inLiveTeam(alias, scope);
  return condition && `(${alias}.team_id IS NULL OR ${condition})`;
};

/** The one form of id that every entity has. */
export const byUuid = (id: string): Lookup => (isUuid(id) ? { by: 'id', value: id.toLowerCase() } : undefined);

/** By its id, its `slugId`, or the last part of its url. */
export function bySlug(id: string): Lookup {
  const slugId = /(?:^|-)([0-9a-f]{12})$/.exec(id)?.[1];
  return byUuid(id) ?? (slugId === undefined ? undefined : { by: 'slug_id', value: slugId });
}
