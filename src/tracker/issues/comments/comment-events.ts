import type { DomainEvent } from '../../../kernel/events/event.js';
import type { Comment } from './comment.entity.js';
import type { Document } from '../../documents/document.entity.js';
import type { Initiative } from '../../initiatives/initiative.entity.js';
import type { InitiativeUpdate } from '../../initiatives/updates/initiative-update.entity.js';
import type { User } from '../../store/user.entity.js';
import type { Project } from '../../projects/project.entity.js';
import type { Team } from '../../store/team.entity.js';
import type { Issue } from '../issue.entity.js';
import type { NewsIssue } from '../issue-of-news.js';
import { trackerEvent, type EventAction } from '../../events/tracker-events.js';
import type { ProjectUpdate } from '../../projects/updates/project-update.entity.js';
import { commentUrl, issueUrl, projectUpdateUrl, projectUrl } from '../../values/urls.js';
import type { Viewer } from '../../access/viewer.js';
import { userData } from '../../events/user-data.js';
import { reactionDataOf, type ShownReaction } from '../../reactions/reaction-data.js';

type TeamOfOwner = Pick<Team, 'id' | 'key' | 'name' | 'private'>;

/** The issue of a comment, as its event shows it. */
export type IssueOfComment = NewsIssue & Pick<Issue, 'creatorId'>;
export type ProjectOfComment = Pick<Project, 'id' | 'name' | 'slugId'>;

/** The subject of a comment: an issue or a project. */
export type CommentOwner =
  | { issue: IssueOfComment; teams: readonly [TeamOfOwner, ...TeamOfOwner[]] }
  | { project: ProjectOfComment; teams: readonly TeamOfOwner[] }
  | {
      projectUpdate: Pick<ProjectUpdate, 'id' | 'body' | 'userId' | 'slugId' | 'projectId'>;
      projectOf: ProjectOfComment;
      teams: readonly TeamOfOwner[];
    }
  | {
      /** What is no issue's or project's, by its url. */
      url: string;
      ids: { documentContentId: string } | { initiativeId: string } | { initiativeUpdateId: string };
      row: Document | Initiative | InitiativeUpdate;
      shown: Readonly<Record<string, unknown>>;
      teams: readonly TeamOfOwner[];
    };

/** Objects that a comment's event shows besides the comment. */
export interface CommentContext {
  owner: CommentOwner;
  user: Pick<User, 'id' | 'name' | 'email' | 'displayName' | 'avatarUrl'> | undefined;
  parent: Pick<Comment, 'id' | 'body' | 'issueId' | 'userId'> | undefined;
  /** Oldest first; a new one has none. */
  reactions?: readonly ShownReaction[];
}

interface CommentChange extends CommentContext {
  web: string;
  viewer: Viewer;
  action: EventAction;
  at: Date;
  after: Comment;
  before?: Comment;
}

/** A comment's event (docs/reference/tracker-webhooks.md#envelope), to be given to `tx.record`. */
export function commentEvent(change: CommentChange): DomainEvent {
  const { web, viewer, action, at, after, before, owner } = change;
  return trackerEvent({
    web,
    viewer,
    type: 'Comment',
    action,
    data: commentData(web, viewer.urlKey, after, change),
    previous: before && commentData(web, viewer.urlKey, before, change),
    url: commentUrl(ownerUrl(web, viewer.urlKey, owner), after.id),
    at,
    teams: owner.teams,
  });
}

export function ownerUrl(web: string, urlKey: string, owner: CommentOwner): string {
  if ('issue' in owner) return issueUrl(web, urlKey, owner.issue);
  if ('project' in owner) return projectUrl(web, urlKey, owner.project);
  if ('url' in owner) return owner.url;
  return projectUpdateUrl(projectUrl(web, urlKey, owner.projectOf), owner.projectUpdate.slugId);
}

function commentData(
  web: string,
  urlKey: string,
  comment: Comment,
  { owner, user, parent, reactions = [] }: CommentContext,
): Record<string, unknown> {
  return {
    id: comment.id,
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt,
    body: comment.body,
    editedAt: comment.editedAt,
    quotedText: comment.quotedText,
    issueId: comment.issueId,
    projectId: comment.projectId,
    documentContentId: comment.documentContentId,
    projectUpdateId: comment.projectUpdateId,
    initiativeId: comment.initiativeId,
    initiativeUpdateId: comment.initiativeUpdateId,
    parentId: comment.parentId,
    userId: comment.userId,
    resolvedAt: comment.resolvedAt,
    resolvingUserId: comment.resolvingUserId,
    resolvingCommentId: comment.resolvingCommentId,
    reactionData: reactionDataOf(reactions),
    botActor: comment.botActor,
    issue: 'issue' in owner ? issueData(web, urlKey, owner.issue, owner.teams[0]) : undefined,
    ...('shown' in owner && !('initiativeId' in owner.ids) && owner.shown),
    user: userData(web, urlKey, user),
    parent: parent && { id: parent.id, body: parent.body, issueId: parent.issueId, userId: parent.userId },
  };
}

function issueData(web: string, urlKey: string, issue: IssueOfComment, { id, key, name }: TeamOfOwner): object {
  const { identifier, title, teamId } = issue;
  return { id: issue.id, identifier, title, url: issueUrl(web, urlKey, issue), teamId, team: { id, key, name } };
}
