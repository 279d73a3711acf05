import { cycleSql } from './cycle-times.js';
import type { EntityKey } from './entities.js';
import type { OrderKey } from './order.js';
import type { QueryScope } from './query-scope.js';

/** What belongs to a parent: a connection field of tracker.graphql below an object. */
export interface ConnectionSpec<K extends EntityKey = EntityKey> {
  entity: K;
  /** Holds for rows of the parent whose id is `parent`. */
  link(alias: string, parent: string, scope: QueryScope): string;
  /** A table the ordering needs. */
  join?(parent: string): string;
  /** The order without `orderBy`, where it is not newest first. */
  natural?: OrderKey;
}

const of = <K extends EntityKey>(entity: K, column: string): ConnectionSpec<K> => ({
  entity,
  link: (a, parent) => `${a}.${column} = ${parent}`,
});

const through = <K extends EntityKey>(entity: K, table: string, own: string, other: string): ConnectionSpec<K> => ({
  entity,
  link: (a, parent) => `EXISTS (SELECT 1 FROM ${table} x WHERE x.${own} = ${parent} AND x.${other} = ${a}.id)`,
});

export const connections = {
  'Issue.children': of('Issue', 'parent_id'),
  'Issue.comments': of('Comment', 'issue_id'),
  'Issue.labels': {
    entity: 'IssueLabel',
    join: (parent) => `JOIN issues o ON o.id = ${parent}`,
    link: (a) => `${a}.id = ANY(o.label_ids)`,
    // in the order of application (tracker.md b.6)
    natural: { sql: 'array_position(o.label_ids, l.id)', kind: 'number', descending: false },
  } satisfies ConnectionSpec<'IssueLabel'> as ConnectionSpec<'IssueLabel'>,
  'Issue.subscribers': through('User', 'issue_subscribers', 'issue_id', 'user_id'),
  'Comment.children': of('Comment', 'parent_id'),
  'Comment.createdIssues': of('Issue', 'source_comment_id'),
  'Project.comments': of('Comment', 'project_id'),
  'Project.issues': of('Issue', 'project_id'),
  'Project.members': through('User', 'project_members', 'project_id', 'user_id'),
  'Project.teams': through('Team', 'project_teams', 'project_id', 'team_id'),
  'Team.cycles': of('Cycle', 'team_id'),
  'Team.issues': of('Issue', 'team_id'),
  'Team.labels': {
    entity: 'IssueLabel',
    // the workspace's too (tracker.md b.3)
    link: (a, parent) => `(${a}.team_id = ${parent} OR ${a}.team_id IS NULL)`,
  } satisfies ConnectionSpec<'IssueLabel'> as ConnectionSpec<'IssueLabel'>,
  'Team.members': through('User', 'team_memberships', 'team_id', 'user_id'),
  'Team.memberships': of('TeamMembership', 'team_id'),
  'Team.projects': through('Project', 'project_teams', 'team_id', 'project_id'),
  'Team.states': of('WorkflowState', 'team_id'),
  'Team.webhooks': of('Webhook', 'team_id'),
  'IssueLabel.children': of('IssueLabel', 'parent_id'),
  'IssueLabel.issues': {
    entity: 'Issue',
    link: (a, parent) => `${a}.label_ids @> ARRAY[${parent}]`,
  } satisfies ConnectionSpec<'Issue'> as ConnectionSpec<'Issue'>,
  'WorkflowState.issues': of('Issue', 'state_id'),
  'Cycle.issues': of('Issue', 'cycle_id'),
  'Cycle.uncompletedIssuesUponClose': {
    entity: 'Issue',
    link: (a, parent, scope) => `${a}.cycle_id = ${parent}
      AND EXISTS (SELECT 1 FROM cycles x WHERE x.id = ${parent} AND ${cycleSql.isPast('x', scope.moment)})
      AND (SELECT x.type NOT IN ('completed', 'canceled', 'duplicate') FROM workflow_states x WHERE x.id = ${a}.state_id)`,
  } satisfies ConnectionSpec<'Issue'> as ConnectionSpec<'Issue'>,
  'User.assignedIssues': of('Issue', 'assignee_id'),
  'User.createdIssues': of('Issue', 'creator_id'),
  'User.teams': through('Team', 'team_memberships', 'user_id', 'team_id'),
  'User.teamMemberships': of('TeamMembership', 'user_id'),
};

export type ConnectionName = keyof typeof connections;
export type ConnectionRow<N extends ConnectionName> =
  (typeof connections)[N] extends ConnectionSpec<infer K> ? K : never;
