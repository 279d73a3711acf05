import { cycleSql } from '../cycle-times.js';
import type { EntityKey } from '../entities.js';
import type { QueryScope } from '../query-scope.js';

/** A key that compares a value of the row: how the comparator reads it, and the SQL of the value. */
export interface ValueKey {
  is: 'text' | 'number' | 'boolean' | 'moment' | 'day' | 'id' | 'issueId' | 'projectId';
  sql(alias: string, scope: QueryScope): string;
}

/** A key that filters the one entity a row refers to. */
export interface OneKey {
  is: 'one';
  entity: EntityKey;
  /** The column that holds its id. */
  column: string;
}

/** A key that filters the entities belonging to a row. */
export interface ManyKey {
  is: 'many';
  entity: EntityKey;
  /** The rows that connect the two; joined with the elements. */
  through?: string;
  /** Holds for an element (and the connecting row, `x`) of the row. */
  link(alias: string, element: string): string;
  /** The row's own array of element ids: "some element" then is one look at it, with an index. */
  array?: string;
}

/** A key for something that never exists here: it matches `{ null: true }` alone. */
export interface NothingKey {
  is: 'nothing';
}

export type FilterKey = ValueKey | OneKey | ManyKey | NothingKey;
export type FilterKeys = Readonly<Record<string, FilterKey>>;

const value = (is: ValueKey['is'], column: string): ValueKey => ({ is, sql: (a) => `${a}.${column}` });
const text = (column: string) => value('text', column);
const number = (column: string) => value('number', column);
const boolean = (column: string) => value('boolean', column);
const moment = (column: string) => value('moment', column);
/** A day compared with moments: its midnight, UTC. */
const midnight = (column: string): ValueKey => ({
  is: 'moment',
  sql: (a) => `timezone('UTC', ${a}.${column}::timestamp)`,
});
const one = (entity: EntityKey, column: string): OneKey => ({ is: 'one', entity, column });
const many = (entity: EntityKey, link: ManyKey['link']): ManyKey => ({ is: 'many', entity, link });
/** Elements whose column holds the row's id. */
const having = (entity: EntityKey, column: string): ManyKey => many(entity, (a, e) => `${e}.${column} = ${a}.id`);
const through = (entity: EntityKey, table: string, own: string, other: string): ManyKey => ({
  is: 'many',
  entity,
  through: table,
  link: (a, e) => `x.${own} = ${a}.id AND ${e}.id = x.${other}`,
});
const nothing: NothingKey = { is: 'nothing' };
const cycleFlag = (flag: keyof typeof cycleSql): ValueKey => ({
  is: flag === 'completedAt' ? 'moment' : 'boolean',
  sql: (a, s) => cycleSql[flag](a, s.moment),
});

const id = value('id', 'id');
const times = { createdAt: moment('created_at'), updatedAt: moment('updated_at') };

/** Every key of every filter of tracker.graphql (but `and`, `or`, `null`, `some`, `every`, `length`): one table an entity. */
export const filterKeys: { readonly [K in EntityKey]?: FilterKeys } = {
  Issue: {
    id: value('issueId', 'id'),
    ...times,
    addedToCycleAt: moment('added_to_cycle_at'),
    archivedAt: moment('archived_at'),
    canceledAt: moment('canceled_at'),
    completedAt: moment('completed_at'),
    startedAt: moment('started_at'),
    description: text('description'),
    title: text('title'),
    dueDate: value('day', 'due_date'),
    estimate: number('estimate'),
    number: number('number'),
    priority: number('priority'),
    assignee: one('User', 'assignee_id'),
    creator: one('User', 'creator_id'),
    cycle: one('Cycle', 'cycle_id'),
    parent: one('Issue', 'parent_id'),
    project: one('Project', 'project_id'),
    state: one('WorkflowState', 'state_id'),
    team: one('Team', 'team_id'),
    delegate: nothing,
    children: having('Issue', 'parent_id'),
    comments: having('Comment', 'issue_id'),
    labels: { ...many('IssueLabel', (a, e) => `${e}.id = ANY(${a}.label_ids)`), array: 'label_ids' },
    subscribers: through('User', 'issue_subscribers', 'issue_id', 'user_id'),
  },
  Comment: {
    id,
    ...times,
    body: text('body'),
    issue: one('Issue', 'issue_id'),
    parent: one('Comment', 'parent_id'),
    project: one('Project', 'project_id'),
    user: one('User', 'user_id'),
  },
  Project: {
    id: value('projectId', 'id'),
    ...times,
    canceledAt: moment('canceled_at'),
    completedAt: moment('completed_at'),
    startedAt: moment('started_at'),
    startDate: midnight('start_date'),
    targetDate: midnight('target_date'),
    name: text('name'),
    slugId: text('slug_id'),
    priority: number('priority'),
    state: { is: 'text', sql: (a) => `(SELECT x.type FROM project_statuses x WHERE x.id = ${a}.status_id)` },
    creator: one('User', 'creator_id'),
    lead: one('User', 'lead_id'),
    status: one('ProjectStatus', 'status_id'),
    accessibleTeams: through('Team', 'project_teams', 'project_id', 'team_id'),
    members: through('User', 'project_members', 'project_id', 'user_id'),
    issues: having('Issue', 'project_id'),
  },
  ProjectStatus: {
    id,
    ...times,
    name: text('name'),
    type: text('type'),
    position: number('position'),
    // always null
    description: { is: 'text', sql: () => 'NULL::text' },
    projects: having('Project', 'status_id'),
    team: nothing,
  },
  Team: {
    id,
    ...times,
    name: text('name'),
    key: text('key'),
    description: text('description'),
    private: boolean('private'),
    parent: nothing,
    issues: having('Issue', 'team_id'),
    members: through('User', 'team_memberships', 'team_id', 'user_id'),
  },
  IssueLabel: {
    id,
    ...times,
    name: text('name'),
    isGroup: boolean('is_group'),
    creator: one('User', 'creator_id'),
    parent: one('IssueLabel', 'parent_id'),
    team: one('Team', 'team_id'),
  },
  WorkflowState: {
    id,
    ...times,
    name: text('name'),
    type: text('type'),
    description: text('description'),
    position: number('position'),
    team: one('Team', 'team_id'),
    issues: having('Issue', 'state_id'),
  },
  Cycle: {
    id,
    ...times,
    name: text('name'),
    number: number('number'),
    startsAt: moment('starts_at'),
    endsAt: moment('ends_at'),
    completedAt: cycleFlag('completedAt'),
    isActive: cycleFlag('isActive'),
    isFuture: cycleFlag('isFuture'),
    isPast: cycleFlag('isPast'),
    isNext: cycleFlag('isNext'),
    isPrevious: cycleFlag('isPrevious'),
    team: one('Team', 'team_id'),
    issues: having('Issue', 'cycle_id'),
  },
  User: {
    id,
    ...times,
    name: text('name'),
    displayName: text('display_name'),
    email: text('email'),
    active: boolean('active'),
    admin: boolean('admin'),
    owner: boolean('owner'),
    isMe: { is: 'boolean', sql: (a, s) => `(${a}.id = ${s.userId})` },
    assignedIssues: having('Issue', 'assignee_id'),
  },
};
