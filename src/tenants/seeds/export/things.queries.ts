import { StatementShapes, type Statement } from '../../../kernel/database/statement.js';
import type { Declared } from '../../../tracker/entity/declare.js';
import { entityOf } from '../../../tracker/store/define-entity.js';

/* Hand-written: whole tables of a tenant, which are named at run time. */

const shapes = new StatementShapes('export_things');

/** All rows of a declared entity that a document holds. Parameter: the organization. */
export const things = ({ name, table, seeds, isArchived }: Declared): Statement =>
  shapes.of(name, () => {
    const order = seeds[0]?.order?.('x') ?? 'x.created_at';
    return `SELECT ${entityOf(name).columns('x')} FROM ${table} x
     WHERE x.organization_id = $1::uuid${isArchived ? ' AND x.archived_at IS NULL' : ''} ORDER BY ${order}, x.created_at, x.id`;
  });
