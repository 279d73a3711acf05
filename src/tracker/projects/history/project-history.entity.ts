import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import type { FieldChange } from '../../entity/field-history.js';
import { constant, jsonList, reference } from '../../entity/fields.js';
import { accessWith } from '../../entity/owned-access.queries.js';
import { DateTime } from '../../graphql/scalars.js';

/** What one mutation changed of a project (docs/reference/tracker.md#project). */
@Entity('project_history')
@Index('project_history_page', ['organizationId', 'createdAt', 'id'])
@Index('project_history_of_project', ['projectId', 'createdAt', 'id'])
export class ProjectHistory extends rowOf({
  projectId: reference('Project', { onDelete: 'CASCADE', owner: true, backed: 'history' }),
  entries: jsonList<FieldChange>(),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ProjectHistory: ProjectHistory;
  }
}

export const projectHistory = declareEntity('ProjectHistory', ProjectHistory, {
  alias: 'ph',
  isUnfiltered: true,
  access: accessWith('Project', 'projectId'),
  changes: { name: 'project_history' },
});
