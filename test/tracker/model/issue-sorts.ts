import * as rows from '../../../src/tracker/entities.js';
import { TestOrganization, type TestStore } from './tracker-data.js';

/** What sorts compare beyond the stored row. */
export interface MadeIssue {
  row: rows.Issue;
  assignee: string | null;
  state: rows.WorkflowState;
  cycle: rows.Cycle | null;
}

type Value = string | number | null;
export type Rule = { of: (issue: MadeIssue) => Value; down?: boolean; nulls?: 'first' | 'last' };

/** The time at which the states of cycles are evaluated. */
export const NOW = new Date('2026-06-15T12:00:00Z');

const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;

/** 120 issues of one team, with many equal values. */
export async function makeIssues(store: TestStore) {
  const organization = await TestOrganization.create(store);
  const users = [null];
  const named: { id: string; name?: string }[] = [];
  for (const name of ['éva', 'Bob', 'alice', 'Zoë', 'bob']) named.push(await organization.user({ name }));
  const viewer = organization.viewer(named[0]!);
  const team = await organization.team();
  const states = [];
  const types = ['backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate'] as const;
  for (const [i, type] of types.entries()) {
    states.push(
      await organization.state(team, { type, position: i % 2 }),
      await organization.state(team, { type, position: 7 }),
    );
  }
  const cycles = [];
  for (const month of [3, 6, 9]) {
    const startsAt = new Date(Date.UTC(2026, month - 1, 1));
    cycles.push(await organization.cycle(team, { startsAt, endsAt: new Date(Date.UTC(2026, month - 1, 28)) }));
  }
  const issues: MadeIssue[] = [];
  for (let i = 0; i < 120; i++) {
    const [assignee, state, cycle] = [pick([...named, ...users]), pick(states), pick([...cycles, null])];
    const createdAt = new Date(Date.UTC(2026, 0, 1) + Math.floor(Math.random() * 40) * 1_001);
    const row = await organization.issue(team, state, {
      title: pick(['b', 'B', 'a', 'é', 'É', 'z', '_', '%']) + pick(['', 'x']),
      priority: pick([0, 1, 2, 3, 4]),
      prioritySortOrder: pick([-1.5, 0, 3]),
      sortOrder: pick([-0.1, 1 / 3, 1e15, 2]),
      estimate: pick([null, 0, 1, 2.5]),
      dueDate: pick([null, '2026-01-02', '2026-12-31']),
      completedAt: pick([null, new Date(1_750_000_000_000), new Date(1_750_000_000_001)]),
      canceledAt: pick([null, new Date(1_760_000_000_000)]),
      assigneeId: assignee?.id ?? null,
      cycleId: cycle?.id ?? null,
      createdAt,
      updatedAt: new Date(createdAt.getTime() + pick([0, 5, 70_000])),
    });
    issues.push({
      row: row as rows.Issue,
      assignee: assignee?.name ?? null,
      state: state as rows.WorkflowState,
      cycle: cycle as rows.Cycle | null,
    });
  }
  return { organization, viewer, team, issues };
}

const TYPES = ['backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate'];
const rank = ({ state }: MadeIssue) => TYPES.indexOf(state.type);
const time = (date: Date | null): number | null => date?.getTime() ?? null;
/** Each sort key with the documented rules, implemented in JavaScript. */
export const SORTS: [string, object, (options: { down: boolean; nulls: 'first' | 'last' }) => Rule[]][] = [
  ['priority', {}, (o) => [{ of: ({ row }) => (row.priority === 0 ? 0 : 5 - row.priority), ...o }]],
  ['priority', { noPriorityFirst: true }, (o) => [{ of: ({ row }) => 5 - row.priority, ...o }]],
  [
    'priority',
    { usePrioritySortOrderTiebreaker: true },
    (o) => [
      { of: ({ row }) => (row.priority === 0 ? 0 : 5 - row.priority), ...o },
      { of: ({ row }) => row.prioritySortOrder },
    ],
  ],
  ['estimate', {}, (o) => [{ of: ({ row }) => row.estimate, ...o }]],
  ['dueDate', {}, (o) => [{ of: ({ row }) => row.dueDate, ...o }]],
  ['title', {}, (o) => [{ of: ({ row }) => row.title.toLowerCase(), ...o }]],
  ['assignee', {}, (o) => [{ of: ({ assignee }) => assignee?.toLowerCase() ?? null, ...o }]],
  ['completedAt', {}, (o) => [{ of: ({ row }) => time(row.completedAt), ...o }]],
  ['createdAt', {}, (o) => [{ of: ({ row }) => time(row.createdAt), ...o }]],
  ['updatedAt', {}, (o) => [{ of: ({ row }) => time(row.updatedAt), ...o }]],
  ['manual', {}, (o) => [{ of: ({ row }) => row.sortOrder, ...o }]],
  ['team', {}, () => []],
  ['project', {}, () => []],
  ['cycle', {}, (o) => [{ of: ({ cycle }) => time(cycle?.startsAt ?? null), ...o }]],
  [
    'cycle',
    { currentCycleFirst: true },
    (o) => [
      { of: ({ cycle }) => (cycle && cycle.startsAt <= NOW && cycle.endsAt > NOW ? 1 : null) },
      { of: ({ cycle }) => time(cycle?.startsAt ?? null), ...o },
    ],
  ],
  [
    'workflowState',
    {},
    (o) => [
      { of: rank, ...o },
      { of: ({ state }) => state.position, ...o },
    ],
  ],
  [
    'workflowState',
    { closedIssuesOrderedByRecency: true },
    (o) => [
      { of: rank, ...o },
      { of: (made) => (rank(made) > 2 ? 0 : made.state.position), ...o },
      {
        of: (made) => (rank(made) < 3 ? null : time(rank(made) === 3 ? made.row.completedAt : made.row.canceledAt)),
        down: true,
      },
    ],
  ],
];
