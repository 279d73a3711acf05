import { statement, type Statement } from '../../kernel/database/statement.js';
import { allOf } from '../query/query-scope.js';
import { entityOf } from '../store/define-entity.js';
import type { EntityKey } from '../store/entity-rows.js';

/*
 * Hand-written: the statement that finds a row also checks who may see it, as one prepared read for each kind and
 * look-up.
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
  /** Part of every statement; `$3` are the hidden teams. */
  private readonly access: string | undefined;

  constructor(private readonly entity: EntityKey) {
    this.access = entityOf(entity).access?.condition(entityOf(entity).alias, '$3::uuid[]');
  }

  /** Whether the statements have the hidden teams as a third parameter. */
  get hidesTeams(): boolean {
    return this.access !== undefined;
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
         WHERE ${allOf([`${alias}.organization_id = $1::uuid`, this.access, condition])}${order}${HOLDS[hold].replace('$', alias)}`,
      );
      this.made.set(key, made);
    }
    return made;
  }
}
