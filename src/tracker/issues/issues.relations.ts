import { relationsOf, type RelationResolver } from '../graphql/relations.js';
import { priorityLabel } from '../model/priorities.js';
import type { Issue } from '../model/rows.js';
import { issueUrl } from '../model/urls.js';
import { branchNameOf } from './branch-name.js';
import type { IssueSearchPage } from './issue-queries.js';

/** Fields that hits of a search have too: all but connections (tracker.md b.6). */
const shared: Record<string, RelationResolver<Issue>> = {
  url: (issue, load, _args, { web }) => issueUrl(web, load.viewer.urlKey, issue),
  branchName: (issue, load) => branchNameOf(issue, load.viewer),
  priorityLabel: (issue) => priorityLabel(issue.priority),
  assignee: (issue, load) => issue.assigneeId && load.user.load(issue.assigneeId),
  creator: (issue, load) => issue.creatorId && load.user.load(issue.creatorId),
  cycle: (issue, load) => issue.cycleId && load.cycle.load(issue.cycleId),
  parent: (issue, load) => issue.parentId && load.issue.load(issue.parentId),
  project: (issue, load) => issue.projectId && load.project.load(issue.projectId),
  sourceComment: (issue, load) => issue.sourceCommentId && load.comment.load(issue.sourceCommentId),
  state: (issue, load) => load.state.load(issue.stateId),
  team: (issue, load) => load.team.load(issue.teamId),
};

export const issueRelations = relationsOf<Issue>('Issue', {
  ...shared,
  children: (issue, load, args) => load.page('Issue.children', issue.id, args),
  comments: (issue, load, args) => load.page('Issue.comments', issue.id, args),
  labels: (issue, load, args) => load.labels(issue, args),
  subscribers: (issue, load, args) => load.page('Issue.subscribers', issue.id, args),
});

export const issueSearchResultRelations = relationsOf<Issue>('IssueSearchResult', shared);

export const issueSearchPayloadRelations = relationsOf<IssueSearchPage>('IssueSearchPayload', {
  nodes: ({ found }) => found.nodes,
  edges: ({ found }) => found.edges,
  pageInfo: ({ found }) => found.pageInfo,
  totalCount: ({ count }) => count(),
});
