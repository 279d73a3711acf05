import { Entity } from 'typeorm';
import { having, id, number, one, text, times } from '../../query/filter/keys.js';
import { connectionsOf, of } from '../../query/connections.js';
import { defineEntity, listedInLiveTeam, teamAccess } from '../../store/define-entity.js';
import { nullable, OwnedRow, Stored } from '../../store/row.js';

export type WorkflowStateKind = 'backlog' | 'unstarted' | 'started' | 'completed' | 'canceled' | 'duplicate';

@Entity('workflow_states')
export class WorkflowState extends OwnedRow {
  @Stored('uuid') teamId: string;
  @Stored('text') name: string;
  @Stored('text') type: WorkflowStateKind;
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
