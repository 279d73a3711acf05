import { Entity, ForeignKey, Index } from 'typeorm';
import { having, listed, midnight, moment, number, one, text, through, times, value } from '../store/filter-keys.js';
import { connectionsOf, linked, of } from '../store/connections.js';
import { nameOf, ownName, plain, urgency, timeSorts } from '../store/sort-keys.js';
import { bySlug, defineEntity, listedLive } from '../store/define-entity.js';
import { Derived, ExactText } from '../../kernel/database/columns.js';
import { nullable, OwnedRow, Stored } from '../store/row.js';
import { isShown } from '../store/hidden-teams.js';
import { byHealth, hasProjectRelation, healthOfProject, milestonesIn } from './projects.conditions.queries.js';
import { definePlace, teamsById } from '../entity/places.js';
import { projectUrl } from '../values/urls.js';
import { ProjectTeam } from './project-team.entity.js';

@Entity('projects')
@Index('projects_slug', ['organizationId', 'slugId'], { unique: true })
@Index('projects_page', ['organizationId', 'createdAt', 'id'])
@Index('projects_updated_page', ['organizationId', 'updatedAt', 'id'])
@Index('projects_sort_order', ['organizationId', 'sortOrder'])
@Index('projects_of_label', ['labelIds'], { type: 'gin' })
@Index('projects_of_template', ['lastAppliedTemplateId', 'createdAt', 'id'], {
  where: 'last_applied_template_id IS NOT NULL',
})
@Index('projects_of_converted_issue', ['convertedFromIssueId'], { where: 'converted_from_issue_id IS NOT NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class Project extends OwnedRow {
  @Stored('text') name: string;
  @Stored('text', { default: '' }) description: string;
  @Stored('text', nullable) content: string | null;
  @ExactText() slugId: string;
  @Stored('text', nullable) icon: string | null;
  @Stored('text', { default: '#bec2c8' }) color: string;
  @ForeignKey('project_statuses', { onDelete: 'CASCADE' })
  @Stored('uuid')
  statusId: string;
  @Stored('smallint', { default: 0 }) priority: number;
  @Stored('double precision', { default: 0 }) sortOrder: number;
  @Stored('double precision', { default: 0 }) prioritySortOrder: number;
  @Stored('uuid', nullable) leadId: string | null;
  @Stored('uuid', nullable) creatorId: string | null;
  @ForeignKey('issues', { onDelete: 'SET NULL' })
  @Stored('uuid', nullable)
  convertedFromIssueId: string | null;
  @Stored('date', nullable) startDate: string | null;
  @ExactText(nullable) startDateResolution: string | null;
  @Stored('date', nullable) targetDate: string | null;
  @ExactText(nullable) targetDateResolution: string | null;
  @Stored('timestamptz', nullable) startedAt: Date | null;
  @Stored('timestamptz', nullable) completedAt: Date | null;
  @Stored('timestamptz', nullable) canceledAt: Date | null;
  @Stored('boolean', nullable) trashed: boolean | null;
  @Stored('timestamptz', nullable) archivedAt: Date | null;
  @Stored('uuid', { array: true, default: [] }) labelIds: string[];
  @ForeignKey('templates', { onDelete: 'SET NULL' })
  @Stored('uuid', nullable)
  lastAppliedTemplateId: string | null;
  /** Sorted. */
  @Derived((a) => `ARRAY(SELECT x.team_id FROM project_teams x WHERE x.project_id = ${a}.id ORDER BY 1)`)
  teamIds: string[];
  /** Sorted. */
  @Derived((a) => `ARRAY(SELECT x.user_id FROM project_members x WHERE x.project_id = ${a}.id ORDER BY 1)`)
  memberIds: string[];
}

declare module '../store/entity-rows.js' {
  interface EntityRows {
    Project: Project;
  }
}

defineEntity('Project', {
  row: Project,
  alias: 'p',
  changes: { name: 'project' },
  title: (a) => `${a}.name`,
  // seen with any of its teams
  access: {
    condition: (a, hidden) =>
      `EXISTS (SELECT 1 FROM project_teams x WHERE x.project_id = ${a}.id AND ${isShown('x.team_id', hidden)})`,
    isHidden: ({ teamIds }, isHiddenTeam) => teamIds.every(isHiddenTeam),
  },
  listed: listedLive,
  lookup: bySlug,
  filter: {
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
    lastAppliedTemplate: one('Template', 'last_applied_template_id'),
    accessibleTeams: through('Team', 'project_teams', 'project_id', 'team_id'),
    members: through('User', 'project_members', 'project_id', 'user_id'),
    issues: having('Issue', 'project_id'),
    labels: listed('ProjectLabel', 'label_ids'),
    health: { is: 'text', sql: healthOfProject },
    hasBlockedByRelations: hasProjectRelation('blocks', 'related'),
    hasBlockingRelations: hasProjectRelation('blocks', 'project'),
    hasDependedOnByRelations: hasProjectRelation('dependency', 'related'),
    hasDependsOnRelations: hasProjectRelation('dependency', 'project'),
    hasRelatedRelations: hasProjectRelation('related', 'either'),
    nextProjectMilestone: milestonesIn('next'),
    completedProjectMilestones: milestonesIn('done'),
  },
  sorts: {
    ...timeSorts,
    health: byHealth,
    lead: nameOf('tracker_users', 'lead_id'),
    manual: plain('sort_order', 'number'),
    name: ownName('name'),
    priority: urgency,
    startDate: plain('start_date', 'day', true),
    status: (a) => [{ sql: `(SELECT x.position FROM project_statuses x WHERE x.id = ${a}.status_id)`, kind: 'number' }],
    targetDate: plain('target_date', 'day', true),
  },
});

/** The connections below a Project. */
export const projectConnections = connectionsOf('Project', {
  comments: of('Comment', 'project_id'),
  issues: of('Issue', 'project_id'),
  labels: {
    entity: 'ProjectLabel' as const,
    join: (parent: string) => `JOIN projects o ON o.id = ${parent}`,
    link: (a: string) => `${a}.id = ANY(o.label_ids)`,
    // in the order in which they were put on
    natural: { sql: 'array_position(o.label_ids, pl.id)', kind: 'number' as const, descending: false },
  },
  members: linked('User', 'project_members', 'project_id', 'user_id'),
  teams: linked('Team', 'project_teams', 'project_id', 'team_id'),
});

definePlace('Project', async (tx, id, { web, urlKey }) => {
  const project = await tx.sql.findOneByOrFail(Project, { id });
  const teamIds = (await tx.sql.findBy(ProjectTeam, { projectId: id })).map(({ teamId }) => teamId);
  const teams = await teamsById(tx, teamIds);
  const url = projectUrl(web, urlKey, project);
  return { teams, url, shown: { project: { id, name: project.name, url } } };
});
