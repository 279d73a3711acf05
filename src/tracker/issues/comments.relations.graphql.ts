import { fieldsOf, filterKeysOf, page } from '../graphql/relations.js';

export const commentFields = fieldsOf('Comment', {
  children: page('CommentConnection', 'filter: CommentFilter'),
  createdIssues: page('IssueConnection', 'filter: IssueFilter'),
  issue: 'Issue',
  parent: 'Comment',
  project: 'Project',
  resolvingComment: 'Comment',
  resolvingUser: 'User',
  user: 'User',
});

export const commentFilterKeys = filterKeysOf(['CommentFilter', 'NullableCommentFilter', 'CommentCollectionFilter'], {
  issue: 'NullableIssueFilter',
  parent: 'NullableCommentFilter',
  project: 'NullableProjectFilter',
  user: 'UserFilter',
});
