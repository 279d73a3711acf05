import { fieldsOf, filterKeysOf, page, always } from '../graphql/relations.js';

export const workflowStateFields = fieldsOf('WorkflowState', {
  inheritedFrom: always('WorkflowState', null),
  issues: page('IssueConnection', 'filter: IssueFilter'),
  team: 'Team!',
});

export const workflowStateFilterKeys = filterKeysOf(['WorkflowStateFilter'], {
  issues: 'IssueCollectionFilter',
  team: 'TeamFilter',
});
