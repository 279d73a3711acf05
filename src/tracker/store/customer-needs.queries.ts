import type { ValueKey } from './filter-keys.js';
import type { SortKey } from './sort-keys.js';

/*
 * Hand-written: parts of conditions by customers, and of orders. Tables of other rooms: customer_needs, customers.
 * Issues and projects, which are below customers, are found by them.
 */

/** As SQL: how many needs that are not archived meet a condition on `x`. */
export const needCount = (condition: string): string =>
  `(SELECT count(*)::int FROM customer_needs x WHERE ${condition} AND x.archived_at IS NULL)`;

/** Of an issue or a project. */
export const needsOf = (column: 'issue_id' | 'project_id', isImportant = false): ValueKey => ({
  is: 'number',
  sql: (a) => needCount(`x.${column} = ${a}.id${isImportant ? ' AND x.priority = 1' : ''}`),
});

export const stagePosition =
  (table: 'customer_statuses' | 'customer_tiers', column: string): SortKey =>
  (a) => [{ sql: `(SELECT x.position FROM ${table} x WHERE x.id = ${a}.${column})`, kind: 'number', nullable: true }];

/** The largest value of those who need an issue. */
export const customerSort =
  (value: string, kind: 'text' | 'number'): SortKey =>
  (a) => [
    {
      sql: `(SELECT max(${value}) FROM customer_needs x JOIN customers c ON c.id = x.customer_id
        WHERE x.issue_id = ${a}.id AND x.archived_at IS NULL)`,
      kind,
      nullable: true,
    },
  ];

export const countSort =
  (isImportant = false): SortKey =>
  (a, scope) => [{ sql: needsOf('issue_id', isImportant).sql(a, scope), kind: 'number' }];
