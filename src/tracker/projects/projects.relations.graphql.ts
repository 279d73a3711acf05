import { fieldsOf, filterKeysOf, page } from '../graphql/relations.js';

export const projectFields = fieldsOf('Project', {
  comments: page('CommentConnection', 'filter: CommentFilter'),
  convertedFromIssue: 'Issue',
  creator: 'User',
  issues: page('IssueConnection', 'filter: IssueFilter'),
  lead: 'User',
  members: page('UserConnection', 'filter: UserFilter, includeDisabled: Boolean'),
  status: 'ProjectStatus!',
  teams: page('TeamConnection', 'filter: TeamFilter'),
});

export const projectFilterKeys = filterKeysOf(['ProjectFilter', 'NullableProjectFilter', 'ProjectCollectionFilter'], {
  accessibleTeams: 'TeamCollectionFilter',
  creator: 'UserFilter',
  issues: 'IssueCollectionFilter',
  lead: 'NullableUserFilter',
  members: 'UserCollectionFilter',
  status: 'ProjectStatusFilter',
});
