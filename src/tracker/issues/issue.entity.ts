import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';
import { having, listed, moment, number, one, text, through, times, value } from '../store/filter-keys.js';
import type { QueryScope } from '../store/query-scope.js';
import { connectionsOf, linked, of } from '../store/connections.js';
import { nameOf, ownName, plain, type SortKey, type SortPart, timeSorts, urgency } from '../store/sort-keys.js';
import { countSort, customerSort } from '../store/customer-needs.queries.js';
import { teamAccess } from '../store/hidden-teams.js';
import { byUuid, defineEntity, listedInLiveTeam } from '../store/define-entity.js';
import type { BotActor } from '../access/bot-actor.js';
import { nullable, OwnedRow, Stored } from '../store/row.js';
import { labelName, labelOfGroup, ofRoot } from './issue-sorts.queries.js';
import { hasRelation } from './relations/issue-relations.queries.js';
import { releaseName } from '../store/releases.queries.js';
import { cycleSql } from '../values/cycle-times.queries.js';
import { definePlace } from '../entity/places.js';
import { Team } from '../store/team.entity.js';
import { issueUrl } from '../values/urls.js';

@Entity('issues')
@Index('issues_identifier', ['organizationId', 'identifier'], { unique: true })
@Index('issues_number', ['teamId', 'number'], { unique: true })
@Index('issues_previous_identifiers', ['previousIdentifiers'], { type: 'gin', where: `previous_identifiers <> '{}'` })
@Index('issues_page', ['organizationId', 'createdAt', 'id'], { where: 'archived_at IS NULL' })
@Index('issues_page_with_archived', ['organizationId', 'createdAt', 'id'])
@Index('issues_updated_page', ['organizationId', 'updatedAt', 'id'])
@Index('issues_of_team', { synchronize: false })
@Index('issues_of_state', ['stateId', 'createdAt', 'id'])
@Index('issues_of_creator', ['creatorId', 'createdAt', 'id'])
@Index('issues_of_assignee', ['assigneeId', 'createdAt', 'id'], { where: 'assignee_id IS NOT NULL' })
@Index('issues_of_delegate', ['delegateId', 'createdAt', 'id'], { where: 'delegate_id IS NOT NULL' })
@Index('issues_of_project', ['projectId', 'createdAt', 'id'], { where: 'project_id IS NOT NULL' })
@Index('issues_of_cycle', ['cycleId', 'createdAt', 'id'], { where: 'cycle_id IS NOT NULL' })
@Index('issues_of_milestone', ['projectMilestoneId', 'createdAt', 'id'], { where: 'project_milestone_id IS NOT NULL' })
@Index('issues_of_parent', ['parentId', 'createdAt', 'id'], { where: 'parent_id IS NOT NULL' })
@Index('issues_of_source_comment', ['sourceCommentId', 'createdAt', 'id'], { where: 'source_comment_id IS NOT NULL' })
@Index('issues_of_template', ['lastAppliedTemplateId', 'createdAt', 'id'], {
  where: 'last_applied_template_id IS NOT NULL',
})
@Index('issues_of_label', ['labelIds'], { type: 'gin' })
@Index('issues_sort_order', ['teamId', 'sortOrder'])
@Index('issues_search', { synchronize: false })
export class Issue extends OwnedRow {
  @Stored('uuid') teamId: string;
  @Stored('integer') number: number;
  @ExactText() identifier: string;
  @Stored('text', { array: true, default: [] }) previousIdentifiers: string[];
  @Stored('text') title: string;
  @Stored('text', nullable) description: string | null;
  @Stored('smallint', { default: 0 }) priority: number;
  @Stored('double precision', nullable) estimate: number | null;
  @Stored('date', nullable) dueDate: string | null;
  @Stored('uuid') stateId: string;
  @Stored('uuid', nullable) assigneeId: string | null;
  /** The application's own user that works on it for the assignee. */
  @Stored('uuid', nullable) delegateId: string | null;
  @Stored('uuid', nullable) creatorId: string | null;
  @Stored('uuid', nullable) projectId: string | null;
  @ForeignKey('project_milestones', { onDelete: 'SET NULL' })
  @Stored('uuid', nullable)
  projectMilestoneId: string | null;
  @Stored('uuid', nullable) cycleId: string | null;
  @ForeignKey('issues', { onDelete: 'SET NULL' })
  @Stored('uuid', nullable)
  parentId: string | null;
  @ForeignKey('comments', { onDelete: 'SET NULL' })
  @Stored('uuid', nullable)
  sourceCommentId: string | null;
  @ForeignKey('templates', { onDelete: 'SET NULL' })
  @Stored('uuid', nullable)
  lastAppliedTemplateId: string | null;
  /** In the order of application. */
  @Stored('uuid', { array: true, default: [] }) labelIds: string[];
  @Stored('double precision', { default: 0 }) sortOrder: number;
  @Stored('double precision', { default: 0 }) prioritySortOrder: number;
  @Stored('double precision', nullable) subIssueSortOrder: number | null;
  @Stored('timestamptz', nullable) startedAt: Date | null;
  @Stored('timestamptz', nullable) completedAt: Date | null;
  @Stored('timestamptz', nullable) canceledAt: Date | null;
  @Stored('timestamptz', nullable) addedToTeamAt: Date | null;
  @Stored('timestamptz', nullable) addedToProjectAt: Date | null;
  @Stored('timestamptz', nullable) addedToCycleAt: Date | null;
  /** Read by `snoozeOf`: it is over when the clock has passed it. */
  @Stored('timestamptz', nullable) snoozedUntilAt: Date | null;
  @Stored('uuid', nullable) snoozedById: string | null;
  @Stored('boolean', nullable) trashed: boolean | null;
  @Stored('timestamptz', nullable) archivedAt: Date | null;
  /** The application that made it as itself. */
  @Stored('jsonb', nullable) botActor: BotActor | null;
}

@Entity('issue_subscribers')
export class IssueSubscriber {
  @ForeignKey('issues', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  issueId: string;
  @PrimaryColumn('uuid') userId: string;
}

declare module '../store/entity-rows.js' {
  interface EntityRows {
    Issue: Issue;
  }
}

const STATE_TYPES = ['backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate'];
const ofState = (a: string, column: string): string =>
  `(SELECT ${column} FROM workflow_states x WHERE x.id = ${a}.state_id)`;

const isSnoozed = (a: string, scope: QueryScope): string => `${a}.snoozed_until_at > ${scope.moment}`;

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

/** Until when an issue is out of sight, and by whom; null once that is over (docs/reference/tracker.md#issue). */
export function snoozeOf(
  { snoozedUntilAt, snoozedById }: Pick<Issue, 'snoozedUntilAt' | 'snoozedById'>,
  now: Date,
): Pick<Issue, 'snoozedUntilAt' | 'snoozedById'> {
  const isOver = snoozedUntilAt === null || snoozedUntilAt <= now;
  return isOver ? { snoozedUntilAt: null, snoozedById: null } : { snoozedUntilAt, snoozedById };
}

const sorts: Readonly<Record<string, SortKey>> = {
  ...timeSorts,
  assignee: nameOf('tracker_users', 'assignee_id'),
  completedAt: plain('completed_at', 'moment', true),
  customer: customerSort(`lower(c.name) COLLATE "C"`, 'text'),
  customerCount: countSort(),
  customerImportantCount: countSort(true),
  customerRevenue: customerSort('c.revenue', 'number'),
  cycle: byCycle,
  delegate: nameOf('tracker_users', 'delegate_id'),
  dueDate: plain('due_date', 'day', true),
  estimate: plain('estimate', 'number', true),
  label: labelName,
  labelGroup: labelOfGroup,
  manual: plain('sort_order', 'number'),
  milestone: nameOf('project_milestones', 'project_milestone_id'),
  priority: (a, scope, options) => [
    ...urgency(a, scope, options),
    // it orders by hand within one priority, whichever way the priorities run
    ...(options.usePrioritySortOrderTiebreaker
      ? [{ sql: `${a}.priority_sort_order`, kind: 'number' as const, fixed: 'up' as const }]
      : []),
  ],
  project: nameOf('projects', 'project_id'),
  release: releaseName,
  rootIssue: (a, scope, options) => ofRoot(a, scope, options, sorts),
  team: nameOf('teams', 'team_id'),
  title: ownName('title'),
  workflowState: byWorkflowState,
};

defineEntity('Issue', {
  row: Issue,
  alias: 'i',
  changes: { name: 'issue' },
  title: (a) => `${a}.identifier`,
  access: teamAccess('teamId'),
  listed: listedInLiveTeam,
  lookup: (id) =>
    byUuid(id) ??
    (/^[A-Za-z][A-Za-z0-9]{0,15}-\d{1,10}$/.test(id) ? { by: 'identifier', value: id.toUpperCase() } : undefined),
  filter: {
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
    projectMilestone: one('ProjectMilestone', 'project_milestone_id'),
    state: one('WorkflowState', 'state_id'),
    team: one('Team', 'team_id'),
    delegate: one('User', 'delegate_id'),
    lastAppliedTemplate: one('Template', 'last_applied_template_id'),
    snoozedBy: { ...one('User', 'snoozed_by_id'), when: isSnoozed },
    snoozedUntilAt: {
      is: 'moment',
      sql: (a, scope) => `CASE WHEN ${isSnoozed(a, scope)} THEN ${a}.snoozed_until_at END`,
    },
    hasBlockedByRelations: { is: 'boolean', sql: hasRelation('blocks', 'related') },
    hasBlockingRelations: { is: 'boolean', sql: hasRelation('blocks', 'issue') },
    hasDuplicateRelations: { is: 'boolean', sql: hasRelation('duplicate', 'either') },
    hasRelatedRelations: { is: 'boolean', sql: hasRelation('related', 'either') },
    children: having('Issue', 'parent_id'),
    comments: having('Comment', 'issue_id'),
    labels: listed('IssueLabel', 'label_ids'),
    subscribers: through('User', 'issue_subscribers', 'issue_id', 'user_id'),
  },
  sorts,
});

/** The connections below an Issue. */
export const issueConnections = connectionsOf('Issue', {
  children: of('Issue', 'parent_id'),
  comments: of('Comment', 'issue_id'),
  labels: {
    entity: 'IssueLabel' as const,
    join: (parent: string) => `JOIN issues o ON o.id = ${parent}`,
    link: (a: string) => `${a}.id = ANY(o.label_ids)`,
    // in the order of application (docs/reference/tracker.md#issue)
    natural: { sql: 'array_position(o.label_ids, l.id)', kind: 'number' as const, descending: false },
  },
  subscribers: linked('User', 'issue_subscribers', 'issue_id', 'user_id'),
});

definePlace('Issue', async (tx, id, { web, urlKey }) => {
  const issue = await tx.sql.findOneByOrFail(Issue, { id });
  const team = await tx.sql.findOneByOrFail(Team, { id: issue.teamId });
  const { identifier, title, teamId } = issue;
  const url = issueUrl(web, urlKey, issue);
  const { id: ownTeam, key, name } = team;
  return {
    teams: [team],
    url,
    shown: { issue: { id, identifier, title, url, teamId, team: { id: ownTeam, key, name } } },
  };
});
