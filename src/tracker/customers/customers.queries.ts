import type { Tx } from '../../kernel/database/db.js';
import { columnsOf } from '../../kernel/database/columns.js';
import { statement } from '../../kernel/database/statement.js';
import { isShown } from '../store/hidden-teams.js';
import { keyedLoader } from '../store/keyed-loader.js';
import { Customer } from './customer.entity.js';
import { CustomerNeed } from './needs/customer-need.entity.js';

/* Hand-written: those of many customers and issues at once, and look-ups in lists. */

/** How many needs a plain list shows. */
const SHOWN = 250;

const seen = `(n.issue_id IS NULL OR EXISTS (SELECT FROM issues i WHERE i.id = n.issue_id AND ${isShown('i.team_id', '$3::uuid[]')}))
  AND (n.project_id IS NULL OR EXISTS (SELECT FROM project_teams t WHERE t.project_id = n.project_id AND ${isShown('t.team_id', '$3::uuid[]')}))`;

/** The needs of customers that the caller sees, newest first. */
export const needsOfCustomer = keyedLoader<CustomerNeed & { key: string }, CustomerNeed[]>({
  statement: statement(
    'tracker_needs_of_customers',
    `SELECT k.id AS key, r.* FROM unnest($1::uuid[]) AS k (id) CROSS JOIN LATERAL (
       SELECT ${columnsOf(CustomerNeed, 'n')} FROM customer_needs n
       WHERE n.customer_id = k.id AND n.organization_id = $2::uuid AND n.archived_at IS NULL AND ${seen}
       ORDER BY n.created_at DESC, n.id DESC LIMIT ${SHOWN}) r
     ORDER BY r."createdAt" DESC, r.id DESC`,
  ),
  values: (ids, viewer) => [ids, viewer.organizationId, viewer.hiddenTeamIds],
  answer: (rows) => rows,
});

const countOf = (column: 'customer_id' | 'issue_id') =>
  keyedLoader<{ count: number }, number>({
    statement: statement(
      `tracker_count_needs_by_${column}`,
      `SELECT n.${column} AS key, count(*)::int AS count FROM customer_needs n
       WHERE n.${column} = ANY($1::uuid[]) AND n.organization_id = $2::uuid AND n.archived_at IS NULL GROUP BY 1`,
    ),
    values: (ids, viewer) => [ids, viewer.organizationId],
    answer: ([row]) => row?.count ?? 0,
  });
export const needCountOfCustomer = countOf('customer_id');
export const needCountOfIssue = countOf('issue_id');

/** By organization id, the caller's only. */
export const customerCountOf = keyedLoader<{ count: number }, number>({
  statement: statement(
    'tracker_count_customers',
    `SELECT c.organization_id AS key, count(*)::int AS count FROM customers c
     WHERE c.organization_id = ANY($1::uuid[]) GROUP BY 1`,
  ),
  values: (ids, viewer) => [ids.filter((id) => id === viewer.organizationId)],
  answer: ([row]) => row?.count ?? 0,
});

/** Customers of an organization are written one after the other, so that a domain is one customer's. */
const LOCK = statement('tracker_lock_customers', 'SELECT pg_advisory_xact_lock(7430256, hashtext($1))');
const WITH_DOMAIN = statement(
  'tracker_customer_with_domain',
  `SELECT c.id, c.domains FROM customers c
   WHERE c.organization_id = $1::uuid AND c.domains && $2::text[] ORDER BY c.created_at, c.id`,
);
const MOVE_NEEDS = statement(
  'tracker_move_customer_needs',
  'UPDATE customer_needs SET customer_id = $2::uuid, updated_at = $3::timestamptz WHERE customer_id = $1::uuid',
);

export async function lockCustomers(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(LOCK, [organizationId]);
}

/** Those that have one of the domains. */
export const customersWithDomain = (
  tx: Tx,
  organizationId: string,
  domains: readonly string[],
): Promise<Pick<Customer, 'id' | 'domains'>[]> => tx.query(WITH_DOMAIN, [organizationId, domains]);

export async function moveNeeds(tx: Tx, from: string, to: string, at: Date): Promise<void> {
  await tx.query(MOVE_NEEDS, [from, to, at]);
}
