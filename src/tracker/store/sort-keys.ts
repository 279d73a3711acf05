import type { QueryScope } from './query-scope.js';

export interface SortOptions {
  order?: 'Ascending' | 'Descending' | null;
  nulls?: 'first' | 'last' | null;
  noPriorityFirst?: boolean | null;
  usePrioritySortOrderTiebreaker?: boolean | null;
  closedIssuesOrderedByRecency?: boolean | null;
  currentCycleFirst?: boolean | null;
  labelGroupId?: string;
  /** The key of the issue at the top. */
  sort?: Readonly<Record<string, SortOptions | null | undefined>>;
}

/** How values of a key compare, and how a cursor holds them. */
export type ValueKind = 'moment' | 'day' | 'number' | 'text' | 'id';

/** A part of a sort key: `fixed` is a direction that `order` does not turn. */
export interface SortPart {
  sql: string;
  kind: ValueKind;
  nullable?: boolean;
  fixed?: 'up' | 'down';
  property?: string;
  /** Says the direction where the key itself does not. */
  inner?: SortOptions;
}
export type SortKey = (alias: string, scope: QueryScope, options: SortOptions) => SortPart[];

export const plain =
  (column: string, kind: ValueKind, nullable = false): SortKey =>
  (a) => [{ sql: `${a}.${column}`, kind, nullable }];

/** Names sort without case, and the same on every server: by code points of the lower-case text. */
const byName = (sql: string): string => `lower(${sql}) COLLATE "C"`;
export const ownName =
  (column: string): SortKey =>
  (a) => [{ sql: byName(`${a}.${column}`), kind: 'text' }];
export const nameOf =
  (table: string, column: string): SortKey =>
  (a) => [
    { sql: `(SELECT ${byName('x.name')} FROM ${table} x WHERE x.id = ${a}.${column})`, kind: 'text', nullable: true },
  ];

/** Urgency, not the number: none, Low, Medium, High, Urgent (docs/reference/tracker.md#filters). */
export const urgency: SortKey = (a, _scope, { noPriorityFirst }) => [
  { sql: `(CASE ${a}.priority WHEN 0 THEN ${noPriorityFirst ? 5 : 0} ELSE 5 - ${a}.priority END)`, kind: 'number' },
];

/** The keys that every sort of times has. */
export const timeSorts: Record<string, SortKey> = {
  createdAt: (a) => [{ sql: `${a}.created_at`, kind: 'moment', property: 'createdAt' }],
  updatedAt: (a) => [{ sql: `${a}.updated_at`, kind: 'moment', property: 'updatedAt' }],
};

/** One part of an ordering. The same list makes the ORDER BY and the comparison with a cursor, so they cannot drift. */
export interface OrderKey {
  sql: string;
  kind: ValueKind;
  descending: boolean;
  /** Where nulls go; absent when the value never is. */
  nulls?: 'first' | 'last';
  /** The property of the row that holds the value already; else it is selected beside the row. */
  property?: string;
}
