import { fieldsOf, filterKeysOf, page, always } from '../graphql/relations.js';

export const issueFields = fieldsOf('Issue', {
  asksRequester: always('User', null),
  assignee: 'User',
  children: page('IssueConnection', 'filter: IssueFilter'),
  comments: page('CommentConnection', 'filter: CommentFilter'),
  creator: 'User',
  cycle: 'Cycle',
  delegate: always('User', null),
  labels: page('IssueLabelConnection', 'filter: IssueLabelFilter'),
  parent: 'Issue',
  project: 'Project',
  snoozedBy: always('User', null),
  sourceComment: 'Comment',
  state: 'WorkflowState!',
  subscribers: page('UserConnection', 'filter: UserFilter, includeDisabled: Boolean'),
  team: 'Team!',
});

export const issueSearchResultFields = fieldsOf('IssueSearchResult', {
  asksRequester: always('User', null),
  assignee: 'User',
  creator: 'User',
  cycle: 'Cycle',
  delegate: always('User', null),
  parent: 'Issue',
  project: 'Project',
  snoozedBy: always('User', null),
  sourceComment: 'Comment',
  state: 'WorkflowState!',
  team: 'Team!',
});

export const issueSharedAccessFields = fieldsOf('IssueSharedAccess', { sharedWithUsers: always('[User!]!', []) });

export const issueFilterKeys = filterKeysOf(['IssueFilter', 'NullableIssueFilter', 'IssueCollectionFilter'], {
  assignee: 'NullableUserFilter',
  children: 'IssueCollectionFilter',
  comments: 'CommentCollectionFilter',
  creator: 'NullableUserFilter',
  cycle: 'NullableCycleFilter',
  delegate: 'NullableUserFilter',
  labels: 'IssueLabelCollectionFilter',
  parent: 'NullableIssueFilter',
  project: 'NullableProjectFilter',
  state: 'WorkflowStateFilter',
  subscribers: 'UserCollectionFilter',
  team: 'TeamFilter',
});
