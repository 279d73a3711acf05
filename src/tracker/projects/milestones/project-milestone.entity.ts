import { registerEnumType } from '@nestjs/graphql';
import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { computedBy, computedNumber, constant, day, longText, number, reference, text } from '../../entity/fields.js';
import { accessWith } from '../../entity/owned-access.queries.js';
import { NullableStringComparator } from '../../graphql/filters.js';
import { DocumentContent } from '../../graphql/references.types.js';
import { DateTime } from '../../graphql/scalars.js';
import { connectionsOf, of } from '../../store/connections.js';

export enum ProjectMilestoneStatus {
  done = 'done',
  next = 'next',
  overdue = 'overdue',
  unstarted = 'unstarted',
}
registerEnumType(ProjectMilestoneStatus, { name: 'ProjectMilestoneStatus' });

/** A stage of a project; `status` and `progress` are derived from its issues (docs/reference/tracker.md#projectmilestone). */
@Entity('project_milestones')
@Index('project_milestones_page', ['organizationId', 'createdAt', 'id'])
@Index('project_milestones_of_project', ['projectId', 'createdAt', 'id'])
export class ProjectMilestone extends rowOf({
  projectId: reference('Project', {
    onDelete: 'CASCADE',
    owner: true,
    backed: 'projectMilestones',
    backedOrder: 'sortOrder',
    having: 'projectMilestones',
    through: 'NullableProjectFilter',
  }),
  name: text({ filter: NullableStringComparator }),
  description: longText({ nullable: true, filter: false }),
  targetDate: day({ nullable: true }),
  sortOrder: number({ default: 0, filter: false }),
  progress: computedNumber(),
  ...computedBy(() => ProjectMilestoneStatus, 'status'),
  documentContent: constant(() => DocumentContent, null),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ProjectMilestone: ProjectMilestone;
  }
}

export const projectMilestones = declareEntity('ProjectMilestone', ProjectMilestone, {
  alias: 'pm',
  access: accessWith('Project', 'projectId'),
  event: { word: 'projectMilestone' },
  mutations: ['create', 'update', 'delete'],
  seeds: { under: 'projectId', as: 'milestones', unique: 'name', order: (a) => `${a}.sort_order, ${a}.created_at` },
  changes: { name: 'project_milestone' },
  title: (a) => `${a}.name`,
});

/** The connections below a ProjectMilestone. */
export const milestoneConnections = connectionsOf('ProjectMilestone', { issues: of('Issue', 'project_milestone_id') });
