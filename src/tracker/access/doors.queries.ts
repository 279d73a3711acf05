import { statement, type Statement } from '../../kernel/database/statement.js';
import { allOf, type RequestingUser } from '../store/query-scope.js';
import { isOwn } from '../store/hidden-teams.js';
import { entityOf } from '../store/define-entity.js';
import type { EntityKey } from '../store/entity-rows.js';

/*
 * Hand-written: the statement that finds a row also checks who may see it, as one prepared read for each kind and
 * look-up. Tables of other rooms: issues. A door finds a row with whatever says who may see it.
 */

/** The lock on a row: `change` excludes other changes, `use` excludes deletion while it is referred to. */
export type Hold = 'change' | 'use';

const HOLDS: Record<Hold | 'none', string> = {
  none: '',
  change: ' FOR NO KEY UPDATE OF $',
  use: ' FOR KEY SHARE OF $',
};

/** The id of the issue with this identifier: a current one wins over another issue's previous one. */
export const issueByIdentifier = (organizationId: string, identifier: string): string => `coalesce(
    (SELECT x.id FROM issues x WHERE x.organization_id = ${organizationId} AND x.identifier = ${identifier}),
    (SELECT x.id FROM issues x WHERE x.organization_id = ${organizationId} AND x.previous_identifiers <> '{}'
      AND x.previous_identifiers @> ARRAY[${identifier}] ORDER BY x.created_at DESC, x.id LIMIT 1))`;

/** The condition for one look-up, the value being `$2` (`$2` is a list for ids). */
const conditions: Record<string, (alias: string) => string> = {
  id: (a) => `${a}.id = $2::uuid`,
  ids: (a) => `${a}.id = ANY($2::uuid[])`,
  identifier: (a) => `${a}.id = ${issueByIdentifier('$1', '$2::text')}`,
  key: (a) => `${a}.key = $2::text`,
  slug_id: (a) => `${a}.slug_id = $2::text`,
  // the first eight characters of an id, which the primary key finds as a range
  hash: (a) => `${a}.id BETWEEN ($2::text || '-0000-0000-0000-000000000000')::uuid
    AND ($2::text || '-ffff-ffff-ffff-ffffffffffff')::uuid ORDER BY ${a}.id LIMIT 1`,
};

/** The statements for one kind of entity, made on first use. */
export class DoorStatements {
  private readonly made = new Map<string, Statement>();
  /** Parts of every statement; their values follow the look-up's, in this order. */
  private readonly owner: string | undefined;
  private readonly access: string | undefined;

  constructor(private readonly entity: EntityKey) {
    const { alias, access } = entityOf(entity);
    this.owner = isOwn(entityOf(entity), alias, '$3::uuid');
    this.access = access?.condition(alias, this.owner === undefined ? '$3::uuid[]' : '$4::uuid[]');
  }

  /** What the statements need of the caller, as their further parameters. */
  callerValues({ userId, hiddenTeamIds }: Pick<RequestingUser, 'userId' | 'hiddenTeamIds'>): unknown[] {
    return [...(this.owner === undefined ? [] : [userId]), ...(this.access === undefined ? [] : [hiddenTeamIds])];
  }

  /** @param by a key of `conditions` */
  of(by: string, hold: Hold | 'none'): Statement {
    const key = `${by}_${hold}`;
    let made = this.made.get(key);
    if (!made) {
      const { table, alias, columns } = entityOf(this.entity);
      const condition = (conditions[by] as (alias: string) => string)(alias);
      const order = by === 'ids' && hold !== 'none' ? ` ORDER BY ${alias}.id` : '';
      made = statement(
        `tracker_door_${this.entity}_${key}`,
        `SELECT ${columns(alias)} FROM ${table} ${alias}
         WHERE ${allOf([`${alias}.organization_id = $1::uuid`, this.owner, this.access, condition])}${order}${HOLDS[hold].replace('$', alias)}`,
      );
      this.made.set(key, made);
    }
    return made;
  }
}
