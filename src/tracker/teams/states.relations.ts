import { relationsOf } from '../graphql/relations.js';
import type { WorkflowState } from '../model/rows.js';

export const workflowStateRelations = relationsOf<WorkflowState>('WorkflowState', {
  team: (state, load) => load.team.load(state.teamId),
  issues: (state, load, args) => load.page('WorkflowState.issues', state.id, args),
});
