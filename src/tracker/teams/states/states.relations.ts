import { IssueCollectionFilter, IssueFilter } from '../../issues/issues.filters.js';
import { IssueConnection } from '../../issues/issues.types.js';
import { WorkflowStateFilter } from './states.filters.js';
import { WorkflowStateType } from './states.types.js';
import { TeamFilter } from '../teams.filters.js';
import { TeamType } from '../teams.types.js';
import { always, filterRelations, page, relationsOf, required } from '../../graphql/relations.js';
import { type WorkflowState, workflowStateConnections } from './workflow-state.entity.js';

export const workflowStateRelations = relationsOf<WorkflowState>(() => WorkflowStateType, {
  team: required(
    () => TeamType,
    (state, load) => load.row('Team', state.teamId),
  ),
  issues: page(() => IssueConnection, workflowStateConnections.issues, { filter: () => IssueFilter }),
  inheritedFrom: always(() => WorkflowStateType, null),
});

export const workflowStateFilterRelations = filterRelations(() => [WorkflowStateFilter], {
  issues: () => IssueCollectionFilter,
  team: () => TeamFilter,
});
