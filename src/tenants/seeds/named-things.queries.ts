import { StatementShapes, type Statement } from '../../kernel/database/statement.js';
import type { Declared } from '../../tracker/entity/declare.js';

/* Hand-written: whole tables of a tenant, which are named at run time. */

const shapes = new StatementShapes('seed_named_things');

/** All things of a kind by name. Parameter: the organization. */
export const namedThings = ({ name, table, isArchived }: Declared): Statement =>
  shapes.of(
    name,
    () => `SELECT x.id, x.name FROM ${table} x
     WHERE x.organization_id = $1::uuid${isArchived ? ' AND x.archived_at IS NULL' : ''} ORDER BY x.created_at, x.id`,
  );
