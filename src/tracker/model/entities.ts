import type { EntityName } from './errors.js';
import { allOf, type QueryScope } from './query-scope.js';
import {
  columnsOf,
  Comment,
  Cycle,
  Issue,
  IssueLabel,
  Project,
  ProjectStatus,
  storedColumns,
  Team,
  TeamMembership,
  User,
  Webhook,
  WorkflowState,
} from './rows.js';

/** The row class of each entity that an organization holds, by its name on the wire. */
export interface EntityRows {
  Comment: Comment;
  Cycle: Cycle;
  Issue: Issue;
  IssueLabel: IssueLabel;
  Project: Project;
  ProjectStatus: ProjectStatus;
  Team: Team;
  TeamMembership: TeamMembership;
  User: User;
  Webhook: Webhook;
  WorkflowState: WorkflowState;
}
export type EntityKey = keyof EntityRows & EntityName;

export interface ListOptions {
  includeArchived?: boolean | null;
  includeDisabled?: boolean | null;
}

export interface EntitySpec {
  table: string;
  /** Its alias where a statement is about it; nested ones get numbered aliases. */
  alias: string;
  columns(alias: string): string;
  /** The properties that are dates. */
  moments: readonly string[];
  /**
   * What a caller sees of its organization, `hidden` being the ids of the private teams without it, as SQL; undefined
   * when that is everything.
   */
  access?(alias: string, hidden: string): string;
  /** What lists leave out unless asked (tracker.md b, c.3, e). */
  listed(alias: string, scope: QueryScope, options: ListOptions): string | undefined;
}

const shapeOf = (row: Parameters<typeof columnsOf>[0]): Pick<EntitySpec, 'columns' | 'moments'> => ({
  columns: (alias) => columnsOf(row, alias),
  moments: [...storedColumns(row)].filter(([, { cast }]) => cast === 'timestamptz').map(([name]) => name),
});

const live = (alias: string): string => `${alias}.archived_at IS NULL`;

/** The team is visible; what has no team is everybody's. */
const inVisibleTeam =
  (column: string, { optional = false } = {}) =>
  (alias: string, hidden: string): string => {
    const condition = `${alias}.${column} <> ALL(${hidden})`;
    return optional ? `(${alias}.${column} IS NULL OR ${condition})` : condition;
  };

const inLiveTeam = (column: string, alias: string, scope: QueryScope): string | undefined => {
  const archived = scope.archivedTeams;
  return archived && `${alias}.${column} <> ALL(${archived})`;
};

export const entities: { readonly [K in EntityKey]: EntitySpec } = {
  Issue: {
    table: 'issues',
    alias: 'i',
    ...shapeOf(Issue),
    access: inVisibleTeam('team_id'),
    listed: (a, s, { includeArchived }) =>
      includeArchived ? undefined : allOf([live(a), inLiveTeam('team_id', a, s)]),
  },
  Comment: {
    table: 'comments',
    alias: 'c',
    ...shapeOf(Comment),
    access: (a, hidden) => `CASE WHEN ${a}.issue_id IS NULL
      THEN EXISTS (SELECT 1 FROM project_teams x WHERE x.project_id = ${a}.project_id AND x.team_id <> ALL(${hidden}))
      ELSE EXISTS (SELECT 1 FROM issues x WHERE x.id = ${a}.issue_id AND x.team_id <> ALL(${hidden})) END`,
    listed: () => undefined,
  },
  Project: {
    table: 'projects',
    alias: 'p',
    ...shapeOf(Project),
    access: (a, hidden) =>
      `EXISTS (SELECT 1 FROM project_teams x WHERE x.project_id = ${a}.id AND x.team_id <> ALL(${hidden}))`,
    listed: (a, _s, { includeArchived }) => (includeArchived ? undefined : live(a)),
  },
  ProjectStatus: {
    table: 'project_statuses',
    alias: 'ps',
    ...shapeOf(ProjectStatus),
    listed: () => undefined,
  },
  Team: {
    table: 'teams',
    alias: 't',
    ...shapeOf(Team),
    access: inVisibleTeam('id'),
    listed: (a, _s, { includeArchived }) => (includeArchived ? undefined : live(a)),
  },
  TeamMembership: {
    table: 'team_memberships',
    alias: 'm',
    ...shapeOf(TeamMembership),
    access: inVisibleTeam('team_id'),
    listed: () => undefined,
  },
  IssueLabel: {
    table: 'issue_labels',
    alias: 'l',
    ...shapeOf(IssueLabel),
    access: inVisibleTeam('team_id', { optional: true }),
    listed: (a, s, { includeArchived }) => {
      const condition = includeArchived ? undefined : inLiveTeam('team_id', a, s);
      return condition && `(${a}.team_id IS NULL OR ${condition})`;
    },
  },
  WorkflowState: {
    table: 'workflow_states',
    alias: 'w',
    ...shapeOf(WorkflowState),
    access: inVisibleTeam('team_id'),
    listed: (a, s, { includeArchived }) =>
      includeArchived ? undefined : allOf([live(a), inLiveTeam('team_id', a, s)]),
  },
  Cycle: {
    table: 'cycles',
    alias: 'y',
    ...shapeOf(Cycle),
    access: inVisibleTeam('team_id'),
    listed: (a, s, { includeArchived }) =>
      includeArchived ? undefined : allOf([live(a), inLiveTeam('team_id', a, s)]),
  },
  User: {
    table: 'tracker_users',
    alias: 'u',
    ...shapeOf(User),
    listed: (a, _s, { includeDisabled }) => (includeDisabled ? undefined : `${a}.active`),
  },
  Webhook: {
    table: 'tracker_webhooks',
    alias: 'h',
    ...shapeOf(Webhook),
    access: inVisibleTeam('team_id', { optional: true }),
    listed: () => undefined,
  },
};

/** In the caller's organization and for the caller's eyes. */
export function visible(entity: EntityKey, alias: string, scope: QueryScope): string {
  const own = `${alias}.organization_id = ${scope.organizationId}`;
  const { access } = entities[entity];
  const hidden = access && scope.hiddenTeams;
  return hidden ? `${own} AND ${access(alias, hidden)}` : own;
}
