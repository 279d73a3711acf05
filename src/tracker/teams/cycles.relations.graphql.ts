import { fieldsOf, filterKeysOf, page, always } from '../graphql/relations.js';

export const cycleFields = fieldsOf('Cycle', {
  inheritedFrom: always('Cycle', null),
  issues: page('IssueConnection', 'filter: IssueFilter'),
  team: 'Team!',
  uncompletedIssuesUponClose: page('IssueConnection', 'filter: IssueFilter'),
});

export const cycleFilterKeys = filterKeysOf(['CycleFilter', 'NullableCycleFilter'], {
  issues: 'IssueCollectionFilter',
  team: 'TeamFilter',
});
