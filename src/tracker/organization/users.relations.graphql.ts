import { fieldsOf, filterKeysOf, page } from '../graphql/relations.js';

export const userFields = fieldsOf('User', {
  assignedIssues: page('IssueConnection', 'filter: IssueFilter'),
  createdIssues: page('IssueConnection', 'filter: IssueFilter'),
  delegatedIssues: page('IssueConnection', 'filter: IssueFilter'),
  organization: 'Organization!',
  teamMemberships: page('TeamMembershipConnection'),
  teams: page('TeamConnection', 'filter: TeamFilter'),
});

export const userFilterKeys = filterKeysOf(['UserFilter', 'NullableUserFilter', 'UserCollectionFilter'], {
  assignedIssues: 'IssueCollectionFilter',
});
