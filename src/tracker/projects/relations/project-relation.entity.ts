import { Check, Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { constant, reference, word } from '../../entity/fields.js';
import { accessWith, seenWithAll } from '../../entity/owned-access.queries.js';
import { DateTime } from '../../graphql/scalars.js';

const ANCHORS = ['project', 'start', 'end', 'milestone'] as const;
const milestone = { nullable: true, onDelete: 'SET NULL', through: false } as const;

/** A project depends on another, or is related to it (docs/reference/tracker.md#projectrelation). */
@Entity('project_relations')
@Index('project_relations_pair', ['projectId', 'relatedProjectId'], { unique: true })
@Index('project_relations_page', ['organizationId', 'createdAt', 'id'])
@Index('project_relations_of_project', ['projectId', 'createdAt', 'id'])
@Index('project_relations_of_related', ['relatedProjectId', 'createdAt', 'id'])
@Index('project_relations_of_milestone', ['projectMilestoneId'], { where: 'project_milestone_id IS NOT NULL' })
@Index('project_relations_of_related_milestone', ['relatedProjectMilestoneId'], {
  where: 'related_project_milestone_id IS NOT NULL',
})
@Check('project_relations_check', 'project_id <> related_project_id')
export class ProjectRelation extends rowOf({
  // relations of a project wait for each other, so that a pair has one
  projectId: reference('Project', { onDelete: 'CASCADE', owner: true, hold: 'change', backed: 'relations' }),
  relatedProjectId: reference('Project', { onDelete: 'CASCADE', backed: 'inverseRelations', seed: 'project' }),
  type: word({ oneOf: ['dependency', 'blocks', 'related'] }),
  anchorType: word({ oneOf: ANCHORS }),
  relatedAnchorType: word({ oneOf: ANCHORS }),
  projectMilestoneId: reference('ProjectMilestone', { ...milestone, seed: 'milestone' }),
  relatedProjectMilestoneId: reference('ProjectMilestone', { ...milestone, seed: 'related_milestone' }),
  userId: reference('User', { nullable: true, create: false, update: false, seed: false }),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ProjectRelation: ProjectRelation;
  }
}

export const projectRelationships = declareEntity('ProjectRelation', ProjectRelation, {
  alias: 'pr',
  access: seenWithAll(accessWith('Project', 'projectId'), accessWith('Project', 'relatedProjectId')),
  isUnfiltered: true,
  event: { word: 'projectRelation' },
  mutations: ['create', 'update', 'delete'],
  seeds: { under: 'projectId', as: 'relations', filled: ({ creatorId }) => ({ userId: creatorId }) },
  changes: { name: 'project_relation' },
});
