import { WorkflowStateFilter } from './states.filters.js';
import { WorkflowStateType } from './states.types.js';
import { TeamFilter } from '../teams.filters.js';
import { TeamType } from '../teams.types.js';
import { always, filterRelations, relationsOf, required } from '../../graphql/relations.js';
import type { WorkflowState } from './workflow-state.entity.js';

export const workflowStateRelations = relationsOf<WorkflowState>(() => WorkflowStateType, {
  team: required(
    () => TeamType,
    (state, load) => load.row('Team', state.teamId),
  ),
  inheritedFrom: always(() => WorkflowStateType, null),
});

export const workflowStateFilterRelations = filterRelations(() => [WorkflowStateFilter], {
  team: () => TeamFilter,
});
