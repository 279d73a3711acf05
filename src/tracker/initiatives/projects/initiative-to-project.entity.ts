import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { constant, number, reference } from '../../entity/fields.js';
import { accessWith } from '../../entity/owned-access.queries.js';
import { DateTime } from '../../graphql/scalars.js';

/** A project of an initiative (docs/reference/tracker.md#initiativetoproject). */
@Entity('initiative_to_projects')
@Index('initiative_to_projects_pair', ['initiativeId', 'projectId'], { unique: true })
@Index('initiative_to_projects_page', ['organizationId', 'createdAt', 'id'])
@Index('initiative_to_projects_of_project', ['projectId', 'createdAt', 'id'])
export class InitiativeToProject extends rowOf({
  // those of an initiative wait for each other, so that a pair is there once
  initiativeId: reference('Initiative', { onDelete: 'CASCADE', hold: 'change', update: false }),
  projectId: reference('Project', {
    onDelete: 'CASCADE',
    owner: true,
    backed: 'initiativeToProjects',
    isBackedUnfiltered: true,
    update: false,
  }),
  sortOrder: number({ default: 0, filter: false, shown: false, seed: false }),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    InitiativeToProject: InitiativeToProject;
  }
}

export const initiativeProjects = declareEntity('InitiativeToProject', InitiativeToProject, {
  alias: 'ip',
  access: accessWith('Project', 'projectId'),
  isUnfiltered: true,
  event: { word: 'initiativeToProject' },
  mutations: ['create', 'update', 'delete'],
  seeds: { under: 'initiativeId', as: 'projects', names: { property: 'projectId' } },
  changes: { name: 'initiative_to_project' },
});
