import { StatementShapes, type Statement } from '../../kernel/database/statement.js';
import type { EntityKey } from '../store/entity-rows.js';
import { entityOf } from '../store/define-entity.js';

/* Hand-written: rows of several tables in one round trip, where the entity manager makes one for each. */

const loadStatements = new StatementShapes('tracker_load');

/** Rows of several kinds in one answer: each as JSON, since their columns differ. */
export const loadStatement = (kinds: readonly EntityKey[]): Statement =>
  loadStatements.of(kinds.join(' '), () =>
    kinds
      .map((kind, i) => {
        const { table, alias, columns } = entityOf(kind);
        return `SELECT '${kind}' AS kind, row_to_json(r)::text AS row FROM (SELECT ${columns(alias)}
          FROM unnest($${2 * i + 1}::uuid[], $${2 * i + 2}::uuid[]) AS k (organization_id, id)
          JOIN ${table} ${alias} ON ${alias}.id = k.id AND ${alias}.organization_id = k.organization_id) r`;
      })
      .join(' UNION ALL '),
  );
