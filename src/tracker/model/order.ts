import { cycleSql } from './cycle-times.js';
import type { EntityKey } from './entities.js';
import { invalidArgument } from './errors.js';
import type { QueryScope } from './query-scope.js';

/** One part of an ordering. The same list makes the ORDER BY and the comparison with a cursor, so they cannot drift. */
export interface OrderKey {
  sql: string;
  kind: 'moment' | 'day' | 'number' | 'text' | 'id';
  descending: boolean;
  /** Where nulls go; absent when the value never is. */
  nulls?: 'first' | 'last';
  /** The property of the row that holds the value already; else it is selected beside the row. */
  property?: string;
}

export interface Ordering {
  /** Tells orderings apart in cursors; empty for the default one. */
  name: string;
  /** Ends with the id, so no two rows are equal. */
  keys: OrderKey[];
}

export interface OrderArgs {
  orderBy?: 'createdAt' | 'updatedAt' | null;
  sort?: readonly Readonly<Record<string, SortOptions | null | undefined>>[] | null;
}

export interface SortOptions {
  order?: 'Ascending' | 'Descending' | null;
  nulls?: 'first' | 'last' | null;
  noPriorityFirst?: boolean | null;
  usePrioritySortOrderTiebreaker?: boolean | null;
  closedIssuesOrderedByRecency?: boolean | null;
  currentCycleFirst?: boolean | null;
}

/** A part of a sort key: `fixed` is a direction that `order` does not turn. */
interface SortPart {
  sql: string;
  kind: OrderKey['kind'];
  nullable?: boolean;
  fixed?: 'up' | 'down';
  property?: string;
}
type SortKey = (alias: string, scope: QueryScope, options: SortOptions) => SortPart[];

const plain =
  (column: string, kind: OrderKey['kind'], nullable = false): SortKey =>
  (a) => [{ sql: `${a}.${column}`, kind, nullable }];

/** Names sort without case, and the same on every server: by code points of the lower-case text. */
const byName = (sql: string): string => `lower(${sql}) COLLATE "C"`;
const ownName =
  (column: string): SortKey =>
  (a) => [{ sql: byName(`${a}.${column}`), kind: 'text' }];
const nameOf =
  (table: string, column: string): SortKey =>
  (a) => [
    { sql: `(SELECT ${byName('x.name')} FROM ${table} x WHERE x.id = ${a}.${column})`, kind: 'text', nullable: true },
  ];

/** Urgency, not the number: none, Low, Medium, High, Urgent (tracker.md d). */
const urgency: SortKey = (a, _scope, { noPriorityFirst }) => [
  { sql: `(CASE ${a}.priority WHEN 0 THEN ${noPriorityFirst ? 5 : 0} ELSE 5 - ${a}.priority END)`, kind: 'number' },
];

const STATE_TYPES = ['backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate'];
const ofState = (a: string, column: string): string =>
  `(SELECT ${column} FROM workflow_states x WHERE x.id = ${a}.state_id)`;

const byWorkflowState: SortKey = (a, _scope, { closedIssuesOrderedByRecency }) => {
  const rank = `array_position('{${STATE_TYPES.join(',')}}'::text[], x.type)`;
  const type: SortPart = { sql: ofState(a, rank), kind: 'number' };
  if (!closedIssuesOrderedByRecency) return [type, { sql: ofState(a, 'x.position'), kind: 'number' }];
  return [
    type,
    { sql: ofState(a, `CASE WHEN ${rank} > 3 THEN 0 ELSE x.position END`), kind: 'number' },
    {
      sql: ofState(a, `CASE WHEN ${rank} = 4 THEN ${a}.completed_at WHEN ${rank} > 4 THEN ${a}.canceled_at END`),
      kind: 'moment',
      nullable: true,
      fixed: 'down',
    },
  ];
};

const byCycle: SortKey = (a, scope, { currentCycleFirst }) => [
  ...(currentCycleFirst
    ? [
        {
          sql: `(SELECT 1 FROM cycles x WHERE x.id = ${a}.cycle_id AND ${cycleSql.isActive('x', scope.moment)})`,
          kind: 'number' as const,
          nullable: true,
          fixed: 'up' as const,
        },
      ]
    : []),
  { sql: `(SELECT x.starts_at FROM cycles x WHERE x.id = ${a}.cycle_id)`, kind: 'moment', nullable: true },
];

const times: Record<string, SortKey> = {
  createdAt: (a) => [{ sql: `${a}.created_at`, kind: 'moment', property: 'createdAt' }],
  updatedAt: (a) => [{ sql: `${a}.updated_at`, kind: 'moment', property: 'updatedAt' }],
};

/** The keys of IssueSortInput, ProjectSortInput and UserSortInput. */
export const sortKeys: { readonly [K in EntityKey]?: Readonly<Record<string, SortKey>> } = {
  Issue: {
    ...times,
    assignee: nameOf('tracker_users', 'assignee_id'),
    completedAt: plain('completed_at', 'moment', true),
    cycle: byCycle,
    dueDate: plain('due_date', 'day', true),
    estimate: plain('estimate', 'number', true),
    manual: plain('sort_order', 'number'),
    priority: (a, scope, options) => [
      ...urgency(a, scope, options),
      // it orders by hand within one priority, whichever way the priorities run
      ...(options.usePrioritySortOrderTiebreaker
        ? [{ sql: `${a}.priority_sort_order`, kind: 'number' as const, fixed: 'up' as const }]
        : []),
    ],
    project: nameOf('projects', 'project_id'),
    team: nameOf('teams', 'team_id'),
    title: ownName('title'),
    workflowState: byWorkflowState,
  },
  Project: {
    ...times,
    lead: nameOf('tracker_users', 'lead_id'),
    manual: plain('sort_order', 'number'),
    name: ownName('name'),
    priority: urgency,
    startDate: plain('start_date', 'day', true),
    status: (a) => [{ sql: `(SELECT x.position FROM project_statuses x WHERE x.id = ${a}.status_id)`, kind: 'number' }],
    targetDate: plain('target_date', 'day', true),
  },
  User: { displayName: ownName('display_name'), name: ownName('name') },
};

const MAX_SORT_KEYS = 20;

/** The ordering that `sort` and `orderBy` ask for: newest first, ties by id descending. */
export function orderingOf(entity: EntityKey, args: OrderArgs, alias: string, scope: QueryScope): Ordering {
  const orderBy = args.orderBy ?? 'createdAt';
  const keys: OrderKey[] = [];
  const names: string[] = [];
  if (args.sort && args.sort.length > MAX_SORT_KEYS) {
    throw invalidArgument('sort', 'arrayMaxSize', `sort must contain no more than ${MAX_SORT_KEYS} elements`);
  }
  for (const object of args.sort ?? []) {
    const set = Object.entries(object).filter(([, options]) => options !== null && options !== undefined);
    if (set.length > 1) throw invalidArgument('sort', 'oneKey', 'each value in sort must have one key only');
    for (const [name, options] of set as [string, SortOptions][]) {
      const parts = sortKeys[entity]?.[name];
      if (!parts) throw new Error(`no sort key ${name} of ${entity}`);
      names.push(`${name}:${JSON.stringify(options, Object.keys(options).sort())}`);
      for (const { nullable, fixed, ...part } of parts(alias, scope, options)) {
        const descending = fixed ? fixed === 'down' : options.order === 'Descending';
        keys.push({ ...part, descending, ...(nullable ? { nulls: fixed ? 'last' : (options.nulls ?? 'last') } : {}) });
      }
    }
  }
  const column = orderBy === 'updatedAt' ? 'updated_at' : 'created_at';
  keys.push({ sql: `${alias}.${column}`, kind: 'moment', descending: true, property: orderBy });
  keys.push({ sql: `${alias}.id`, kind: 'id', descending: true, property: 'id' });
  const name = [...names, ...(orderBy === 'updatedAt' ? ['updatedAt'] : [])].join(',');
  return { name, keys };
}
