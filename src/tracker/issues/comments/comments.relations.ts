import { CommentCollectionFilter, CommentFilter, NullableCommentFilter } from './comments.filters.js';
import { CommentConnection, CommentType } from './comments.types.js';
import { IssueFilter, NullableIssueFilter } from '../issues.filters.js';
import { IssueConnection, IssueType } from '../issues.types.js';
import { UserFilter } from '../../organization/users/users.filters.js';
import { UserType } from '../../organization/users/users.types.js';
import { NullableProjectFilter } from '../../projects/projects.filters.js';
import { ProjectType } from '../../projects/projects.types.js';
import { derived, filterRelations, nullable, page, relationsOf } from '../../graphql/relations.js';
import { type Comment, commentConnections } from './comment.entity.js';
import { projectUpdates } from '../../projects/updates/project-update.entity.js';
import { initiatives } from '../../initiatives/initiative.entity.js';
import { initiativeUpdates } from '../../initiatives/updates/initiative-update.entity.js';
import {
  commentUrl,
  documentUrl,
  initiativeUpdateUrl,
  initiativeUrl,
  issueUrl,
  projectUpdateUrl,
  projectUrl,
} from '../../values/urls.js';

export const commentRelations = relationsOf<Comment>(() => CommentType, {
  url: derived(async (comment, load, _args, { web }) => {
    const { urlKey } = load.viewer;
    const issue = await load.row('Issue', comment.issueId);
    if (issue) return commentUrl(issueUrl(web, urlKey, issue), comment.id);
    const project = await load.row('Project', comment.projectId);
    if (project) return commentUrl(projectUrl(web, urlKey, project), comment.id);
    const document = await load.row('Document', comment.documentContentId);
    if (document) return commentUrl(documentUrl(web, urlKey, document), comment.id);
    const update = await load.row('ProjectUpdate', comment.projectUpdateId);
    const above = update && (await load.row('Project', update.projectId));
    if (above) return commentUrl(projectUpdateUrl(projectUrl(web, urlKey, above), update.slugId), comment.id);
    const initiative = await load.row('Initiative', comment.initiativeId);
    if (initiative) return commentUrl(initiativeUrl(web, urlKey, initiative), comment.id);
    const ofInitiative = await load.row('InitiativeUpdate', comment.initiativeUpdateId);
    const goal = ofInitiative && (await load.row('Initiative', ofInitiative.initiativeId));
    if (goal) {
      return commentUrl(initiativeUpdateUrl(initiativeUrl(web, urlKey, goal), ofInitiative.slugId), comment.id);
    }
    // deleted since the comment was read
    return commentUrl(`${web}/${urlKey}`, comment.id);
  }),
  children: page(() => CommentConnection, commentConnections.children, { filter: () => CommentFilter }),
  createdIssues: page(() => IssueConnection, commentConnections.createdIssues, { filter: () => IssueFilter }),
  issue: nullable(
    () => IssueType,
    (comment, load) => load.row('Issue', comment.issueId),
  ),
  parent: nullable(
    () => CommentType,
    (comment, load) => load.row('Comment', comment.parentId),
  ),
  project: nullable(
    () => ProjectType,
    (comment, load) => load.row('Project', comment.projectId),
  ),
  projectUpdate: nullable(
    () => projectUpdates.types.Type,
    (comment, load) => load.row('ProjectUpdate', comment.projectUpdateId),
  ),
  initiative: nullable(
    () => initiatives.types.Type,
    (comment, load) => load.row('Initiative', comment.initiativeId),
  ),
  initiativeUpdate: nullable(
    () => initiativeUpdates.types.Type,
    (comment, load) => load.row('InitiativeUpdate', comment.initiativeUpdateId),
  ),
  resolvingComment: nullable(
    () => CommentType,
    (comment, load) => load.row('Comment', comment.resolvingCommentId),
  ),
  resolvingUser: nullable(
    () => UserType,
    (comment, load) => load.row('User', comment.resolvingUserId),
  ),
  user: nullable(
    () => UserType,
    (comment, load) => load.row('User', comment.userId),
  ),
});

export const commentFilterRelations = filterRelations(
  () => [CommentFilter, NullableCommentFilter, CommentCollectionFilter],
  {
    issue: () => NullableIssueFilter,
    parent: () => NullableCommentFilter,
    project: () => NullableProjectFilter,
    projectUpdate: () => projectUpdates.types.NullableFilter,
    initiativeUpdate: () => initiativeUpdates.types.NullableFilter,
    user: () => UserFilter,
  },
);
