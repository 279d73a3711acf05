import { fieldsOf, filterKeysOf, page, always } from '../graphql/relations.js';

export const issueLabelFields = fieldsOf('IssueLabel', {
  children: page('IssueLabelConnection', 'filter: IssueLabelFilter'),
  creator: 'User',
  inheritedFrom: always('IssueLabel', null),
  issues: page('IssueConnection', 'filter: IssueFilter'),
  organization: 'Organization!',
  parent: 'IssueLabel',
  retiredBy: always('User', null),
  team: 'Team',
});

export const issueLabelFilterKeys = filterKeysOf(['IssueLabelFilter', 'IssueLabelCollectionFilter'], {
  creator: 'NullableUserFilter',
  parent: 'IssueLabelFilter',
  team: 'NullableTeamFilter',
});
