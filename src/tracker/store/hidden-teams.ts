import { snakeCase } from '../../kernel/database/store-names.js';
import type { QueryScope, RequestingUser } from './query-scope.js';
import type { EntityKey, EntityRows } from './entity-rows.js';

/*
 * Hidden teams: the private teams of the organization without the caller. Nothing of them exists for the caller, so
 * asking for it answers as an unknown id does (docs/reference/tracker.md#team). Which teams these are comes with the
 * credential (`viewers.queries.ts`). Everything that judges by them does it with a function of this file:
 *
 * - what is asked for by id: the doors (`access.ts`), with `EntityAccess.condition`
 * - pages, filters, search: `visibleRows`
 * - what a row refers to: the loaders of a request (`store/loaders.ts`), with `isRowHidden`
 * - counts and sums: `isShown` in their statements
 *
 * What is a user's own (`ownedBy`) is there for nobody else, judged in the same places.
 */

type Caller = Pick<RequestingUser, 'hiddenTeamIds'>;

export const hidesNothing = ({ hiddenTeamIds }: Caller): boolean => hiddenTeamIds.length === 0;

export const isHiddenTeam = ({ hiddenTeamIds }: Caller, teamId: string): boolean => hiddenTeamIds.includes(teamId);

/** As SQL: the column names no hidden team. @param hidden their ids as a `uuid[]` */
export const isShown = (column: string, hidden: string): string => `${column} <> ALL(${hidden})`;

/** Rows by id, as the caller of one request sees them. */
export interface RowReader {
  row<K extends EntityKey>(entity: K, id: string | null): Promise<EntityRows[K] | null> | null;
}

/** Which rows of its organization a caller sees; each entity declares it with `defineEntity`. */
export interface EntityAccess<R> {
  /** As SQL, `hidden` being the ids of the hidden teams. */
  condition(alias: string, hidden: string): string;
  /** The same of a row at hand. */
  isHidden(row: R, isHiddenTeam: (teamId: string) => boolean, read: RowReader): boolean | Promise<boolean>;
}

/** Seen with the team that `property` names; a row without a team is everybody's. */
export function teamAccess<P extends string>(property: P): EntityAccess<Record<P, string | null>> {
  const column = snakeCase(property);
  return {
    condition: (alias, hidden) => isShown(`${alias}.${column}`, hidden),
    isHidden: ({ [property]: teamId }, isHidden) => teamId !== null && isHidden(teamId as string),
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

/** Who sees the rows of an entity. */
interface Seen {
  readonly access?: EntityAccess<never>;
  /** The property with the id of the user who alone sees a row. */
  readonly ownedBy?: string;
  /** The property that shows a row to the others as well where it is true. */
  readonly sharedIf?: string;
}

/** As SQL: the user sees a row as it is theirs or shared; undefined where rows are nobody's own. */
export function isOwn({ ownedBy, sharedIf }: Seen, alias: string, userId: string): string | undefined {
  if (ownedBy === undefined) return undefined;
  const own = `${alias}.${snakeCase(ownedBy)} = ${userId}`;
  return sharedIf === undefined ? own : `(${alias}.${snakeCase(sharedIf)} OR ${own})`;
}

/** As SQL: rows of the caller's organization that the caller sees. */
export function visibleRows(seen: Seen, alias: string, scope: QueryScope): string {
  const { access, ownedBy } = seen;
  const hidden = access && scope.hiddenTeams;
  return [
    `${alias}.organization_id = ${scope.organizationId}`,
    ...(ownedBy === undefined ? [] : [isOwn(seen, alias, scope.userId) as string]),
    ...(hidden ? [access.condition(alias, hidden)] : []),
  ].join(' AND ');
}

/** Whether a row of the caller's organization is not there for the caller. */
export function isRowHidden(
  { access, ownedBy, sharedIf }: Seen,
  row: object,
  caller: Caller & Pick<RequestingUser, 'userId'>,
  read: RowReader,
): boolean | Promise<boolean> {
  const { [ownedBy ?? '']: owner, [sharedIf ?? '']: isShared } = row as Record<string, unknown>;
  if (ownedBy !== undefined && owner !== caller.userId && isShared !== true) return true;
  if (!access || hidesNothing(caller)) return false;
  return access.isHidden(row as never, (teamId) => isHiddenTeam(caller, teamId), read);
}
