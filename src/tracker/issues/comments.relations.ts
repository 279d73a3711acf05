import { relationsOf } from '../graphql/relations.js';
import type { Comment } from '../model/rows.js';
import { commentUrl, issueUrl, projectUrl } from '../model/urls.js';

export const commentRelations = relationsOf<Comment>('Comment', {
  url: async (comment, load, _args, { web }) => {
    const { urlKey } = load.viewer;
    const issue = comment.issueId && (await load.issue.load(comment.issueId));
    if (issue) return commentUrl(issueUrl(web, urlKey, issue), comment.id);
    const project = comment.projectId && (await load.project.load(comment.projectId));
    if (project) return commentUrl(projectUrl(web, urlKey, project), comment.id);
    // deleted since the comment was read
    return commentUrl(`${web}/${urlKey}`, comment.id);
  },
  children: (comment, load, args) => load.page('Comment.children', comment.id, args),
  createdIssues: (comment, load, args) => load.page('Comment.createdIssues', comment.id, args),
  issue: (comment, load) => comment.issueId && load.issue.load(comment.issueId),
  parent: (comment, load) => comment.parentId && load.comment.load(comment.parentId),
  project: (comment, load) => comment.projectId && load.project.load(comment.projectId),
  resolvingComment: (comment, load) => comment.resolvingCommentId && load.comment.load(comment.resolvingCommentId),
  resolvingUser: (comment, load) => comment.resolvingUserId && load.user.load(comment.resolvingUserId),
  user: (comment, load) => load.user.load(comment.userId),
});
