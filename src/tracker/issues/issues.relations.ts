import { CommentCollectionFilter, CommentFilter } from './comments/comments.filters.js';
import { CommentConnection, CommentType } from './comments/comments.types.js';
import { IssueCollectionFilter, IssueFilter, NullableIssueFilter } from './issues.filters.js';
import { IssueConnection, IssueSearchPayload, IssueSharedAccess, IssueType } from './issues.types.js';
import { IssueLabelCollectionFilter, IssueLabelFilter } from './labels/labels.filters.js';
import { IssueLabelConnection } from './labels/labels.types.js';
import { NullableUserFilter, UserCollectionFilter, UserFilter } from '../organization/users/users.filters.js';
import { UserConnection, UserType } from '../organization/users/users.types.js';
import { NullableProjectFilter } from '../projects/projects.filters.js';
import { ProjectType } from '../projects/projects.types.js';
import { projectMilestones } from '../projects/milestones/project-milestone.entity.js';
import { cycles } from '../teams/cycles/cycle.entity.js';
import { WorkflowStateFilter } from '../teams/states/states.filters.js';
import { WorkflowStateType } from '../teams/states/states.types.js';
import { TeamFilter } from '../teams/teams.filters.js';
import { TeamType } from '../teams/teams.types.js';
import { templates } from '../templates/template.entity.js';
import { labelsOf } from './issues.loaders.js';
import { always, derived, filterRelations, nullable, page, relationsOf, required } from '../graphql/relations.js';
import { priorityLabel } from '../values/priorities.js';
import { type Issue, issueConnections, snoozeOf } from './issue.entity.js';
import { issueUrl } from '../values/urls.js';
import { branchNameOf } from './branch-name.js';
import { searchPayloadRelations } from '../graphql/search-payloads.js';

/** Fields of an issue that are derived or belong to others (docs/reference/tracker.md#issue). */
export const issueRelations = relationsOf<Issue>(() => IssueType, {
  url: derived((issue, load, _args, { web }) => issueUrl(web, load.viewer.urlKey, issue)),
  branchName: derived((issue, load) => branchNameOf(issue, load.viewer)),
  priorityLabel: derived((issue) => priorityLabel(issue.priority)),
  assignee: nullable(
    () => UserType,
    (issue, load) => load.row('User', issue.assigneeId),
  ),
  creator: nullable(
    () => UserType,
    (issue, load) => load.row('User', issue.creatorId),
  ),
  cycle: nullable(
    () => cycles.types.Type,
    (issue, load) => load.row('Cycle', issue.cycleId),
  ),
  parent: nullable(
    () => IssueType,
    (issue, load) => load.row('Issue', issue.parentId),
  ),
  project: nullable(
    () => ProjectType,
    (issue, load) => load.row('Project', issue.projectId),
  ),
  projectMilestone: nullable(
    () => projectMilestones.types.Type,
    (issue, load) => load.row('ProjectMilestone', issue.projectMilestoneId),
  ),
  sourceComment: nullable(
    () => CommentType,
    (issue, load) => load.row('Comment', issue.sourceCommentId),
  ),
  state: required(
    () => WorkflowStateType,
    (issue, load) => load.row('WorkflowState', issue.stateId),
  ),
  team: required(
    () => TeamType,
    (issue, load) => load.row('Team', issue.teamId),
  ),
  asksRequester: always(() => UserType, null),
  delegate: nullable(
    () => UserType,
    (issue, load) => load.row('User', issue.delegateId),
  ),
  snoozedBy: nullable(
    () => UserType,
    (issue, load) => load.row('User', snoozeOf(issue, load.now).snoozedById),
  ),
  snoozedUntilAt: derived((issue, load) => snoozeOf(issue, load.now).snoozedUntilAt),
  children: page(() => IssueConnection, issueConnections.children, { filter: () => IssueFilter }),
  comments: page(() => CommentConnection, issueConnections.comments, { filter: () => CommentFilter }),
  labels: page(
    () => IssueLabelConnection,
    (issue, load, args) => labelsOf(issue, load, args),
    { filter: () => IssueLabelFilter },
  ),
  lastAppliedTemplate: nullable(
    () => templates.types.Type,
    (issue, load) => load.row('Template', issue.lastAppliedTemplateId),
  ),
  recurringIssueTemplate: always(() => templates.types.Type, null),
  subscribers: page(() => UserConnection, issueConnections.subscribers, {
    filter: () => UserFilter,
    includeDisabled: () => Boolean,
  }),
});

export const issueSearchPayloadRelations = searchPayloadRelations(() => IssueSearchPayload);

export const issueFilterRelations = filterRelations(() => [IssueFilter, NullableIssueFilter, IssueCollectionFilter], {
  assignee: () => NullableUserFilter,
  children: () => IssueCollectionFilter,
  comments: () => CommentCollectionFilter,
  creator: () => NullableUserFilter,
  cycle: () => cycles.types.NullableFilter,
  delegate: () => NullableUserFilter,
  labels: () => IssueLabelCollectionFilter,
  lastAppliedTemplate: () => templates.types.NullableFilter,
  parent: () => NullableIssueFilter,
  project: () => NullableProjectFilter,
  projectMilestone: () => projectMilestones.types.NullableFilter,
  snoozedBy: () => NullableUserFilter,
  state: () => WorkflowStateFilter,
  subscribers: () => UserCollectionFilter,
  team: () => TeamFilter,
});

export const issueSharedAccessRelations = relationsOf<unknown>(() => IssueSharedAccess, {
  sharedWithUsers: always(() => [UserType], []),
});
