import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { having, id, nothing, number, text, times } from '../../query/filter/keys.js';
import { defineEntity } from '../../store/define-entity.js';
import { ExactText } from '../../../kernel/database/columns.js';
import { OwnedRow, Stored } from '../../store/row.js';

export type ProjectStatusKind = 'backlog' | 'planned' | 'started' | 'paused' | 'completed' | 'canceled';

@Entity('project_statuses')
@Check('project_statuses_type_check', `type IN ('backlog', 'planned', 'started', 'paused', 'completed', 'canceled')`)
@Index('project_statuses_position', ['organizationId', 'position'], { unique: true })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class ProjectStatus extends OwnedRow {
  @Stored('text') name: string;
  @ExactText() type: ProjectStatusKind;
  @Stored('text') color: string;
  @Stored('double precision') position: number;
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ProjectStatus: ProjectStatus;
  }
}

defineEntity('ProjectStatus', {
  row: ProjectStatus,
  alias: 'ps',
  changes: { name: 'project_status' },
  title: (a) => `${a}.name`,
  filter: {
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
});
