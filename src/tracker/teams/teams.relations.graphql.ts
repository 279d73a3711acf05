import { fieldsOf, filterKeysOf, page, always } from '../graphql/relations.js';

export const teamFields = fieldsOf('Team', {
  activeCycle: 'Cycle',
  cycles: page('CycleConnection', 'filter: CycleFilter'),
  defaultIssueState: 'WorkflowState',
  draftWorkflowState: always('WorkflowState', null),
  issueCount: { type: 'Int!', args: 'includeArchived: Boolean' },
  issues: page('IssueConnection', 'filter: IssueFilter, includeSubTeams: Boolean'),
  labels: page('IssueLabelConnection', 'filter: IssueLabelFilter'),
  markedAsDuplicateWorkflowState: always('WorkflowState', null),
  members: page('UserConnection', 'filter: UserFilter, includeDisabled: Boolean, sort: [UserSortInput!]'),
  memberships: page('TeamMembershipConnection'),
  mergeWorkflowState: always('WorkflowState', null),
  mergeableWorkflowState: always('WorkflowState', null),
  organization: 'Organization!',
  parent: always('Team', null),
  projects: page('ProjectConnection', 'filter: ProjectFilter, includeSubTeams: Boolean, sort: [ProjectSortInput!]'),
  reviewWorkflowState: always('WorkflowState', null),
  startWorkflowState: always('WorkflowState', null),
  states: page('WorkflowStateConnection', 'filter: WorkflowStateFilter'),
  triageIssueState: always('WorkflowState', null),
  viewerMembership: 'TeamMembership',
  webhooks: page('WebhookConnection'),
});

export const teamMembershipFields = fieldsOf('TeamMembership', {
  team: 'Team!',
  user: 'User!',
});

export const teamFilterKeys = filterKeysOf(['TeamFilter', 'NullableTeamFilter'], {
  issues: 'IssueCollectionFilter',
  members: 'UserCollectionFilter',
  parent: 'NullableTeamFilter',
});

export const teamCollectionFilterKeys = filterKeysOf(['TeamCollectionFilter'], { parent: 'NullableTeamFilter' });
