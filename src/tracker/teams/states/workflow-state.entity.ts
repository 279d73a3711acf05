import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { ExactText } from '../../../kernel/database/columns.js';
import { having, id, number, one, text, times } from '../../store/filter-keys.js';
import { connectionsOf, of } from '../../store/connections.js';
import { teamAccess } from '../../store/hidden-teams.js';
import { defineEntity, listedInLiveTeam } from '../../store/define-entity.js';
import { nullable, OwnedRow, Stored } from '../../store/row.js';

export type WorkflowStateKind = 'backlog' | 'unstarted' | 'started' | 'completed' | 'canceled' | 'duplicate';

@Entity('workflow_states')
@Check(
  'workflow_states_type_check',
  `type IN ('backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate')`,
)
@Index('workflow_states_name', { synchronize: false })
@Index('workflow_states_of_team', ['teamId', 'createdAt', 'id'])
@Index('workflow_states_page', ['organizationId', 'createdAt', 'id'])
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class WorkflowState extends OwnedRow {
  @ForeignKey('teams', { onDelete: 'CASCADE' })
  @Stored('uuid')
  teamId: string;
  @Stored('text') name: string;
  @ExactText() type: WorkflowStateKind;
  @Stored('text') color: string;
  @Stored('double precision') position: number;
  @Stored('text', nullable) description: string | null;
  @Stored('timestamptz', nullable) archivedAt: Date | null;
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    WorkflowState: WorkflowState;
  }
}

defineEntity('WorkflowState', {
  row: WorkflowState,
  alias: 'w',
  changes: { name: 'state' },
  title: (a) => `${a}.name`,
  access: teamAccess('teamId'),
  listed: listedInLiveTeam,
  filter: {
    id,
    ...times,
    name: text('name'),
    type: text('type'),
    description: text('description'),
    position: number('position'),
    team: one('Team', 'team_id'),
    issues: having('Issue', 'state_id'),
  },
});

/** The connections below a WorkflowState. */
export const workflowStateConnections = connectionsOf('WorkflowState', {
  issues: of('Issue', 'state_id'),
});
