import { StatementShapes, type Statement } from '../../kernel/database/statement.js';
import { entityOf } from '../store/define-entity.js';
import { type Declared, declaredEntities } from './declare.js';

/* Hand-written: whole tables of a tenant, and ids in all tables that documents fill, which are named at run time. */

const named = new StatementShapes('seed_named_things');
const exported = new StatementShapes('export_things');
const taken = new StatementShapes('seed_taken_uuids');

/** All things of a kind by name. Parameter: the organization. */
export const namedThings = ({ name, table, isArchived }: Declared): Statement =>
  named.of(
    name,
    () => `SELECT x.id, x.name FROM ${table} x
     WHERE x.organization_id = $1::uuid${isArchived ? ' AND x.archived_at IS NULL' : ''} ORDER BY x.created_at, x.id`,
  );

/** All rows of a declared entity that a document holds. Parameter: the organization. */
export const thingsToExport = ({ name, table, seeds, isArchived }: Declared): Statement =>
  exported.of(name, () => {
    const order = seeds[0]?.order?.('x') ?? 'x.created_at';
    return `SELECT ${entityOf(name).columns('x')} FROM ${table} x
     WHERE x.organization_id = $1::uuid${isArchived ? ' AND x.archived_at IS NULL' : ''} ORDER BY ${order}, x.created_at, x.id`;
  });

/** What documents fill besides the tables of the things that are declared. */
const OTHERS = ['teams', 'issue_labels', 'workflow_states', 'issues', 'comments', 'projects', 'tracker_webhooks'];

/** For each id ($1) in use, its tenant if that is deleted already: its rows are then deleted at once. */
export const takenUuids = (): Statement =>
  taken.of('all', () => {
    const tables = [...OTHERS, ...declaredEntities().flatMap(({ seeds, table }) => (seeds.length > 0 ? [table] : []))];
    const uuids = tables.map((table) => `SELECT x.id, x.organization_id FROM ${table} x WHERE x.id = ANY($1::uuid[])`);
    return `WITH taken AS (${uuids.join(' UNION ALL ')})
   SELECT x.id::text AS id, CASE WHEN t.deleted_at IS NOT NULL THEN t.id END AS "endedTenant"
   FROM taken x JOIN organizations o ON o.id = x.organization_id JOIN tenants t ON t.id = o.tenant_id`;
  });
