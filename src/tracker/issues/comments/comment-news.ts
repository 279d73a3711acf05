import { issueOfNews } from '../issue-of-news.js';
import type { Commented } from '../../events/notification-types.js';
import type { Cause, News } from '../../events/notify.js';
import type { Document } from '../../documents/document.entity.js';
import type { Initiative } from '../../initiatives/initiative.entity.js';
import type { InitiativeUpdate } from '../../initiatives/updates/initiative-update.entity.js';
import { projectUrl } from '../../values/urls.js';
import { ownerUrl, type CommentContext, type CommentOwner } from './comment-events.js';
import type { Comment } from './comment.entity.js';

/* What comments and reactions are to others (docs/reference/tracker-notifications.md#causes). */

type Setting = Pick<News, 'viewer' | 'web' | 'at'>;
type ShownComment = Pick<Comment, 'id' | 'body' | 'issueId' | 'userId'> & Partial<Comment>;

/** The thing of a comment, as the part of news that it is. */
interface Place extends Pick<News, 'ids' | 'teamIds' | 'url' | 'shown'> {
  readonly kind: Commented;
  /** Who is told of each comment. */
  readonly followers: Pick<Cause, 'users' | 'audience'>;
}

function placeOf(setting: Setting, owner: CommentOwner): Place {
  const { viewer, web } = setting;
  const known = { teamIds: owner.teams.map(({ id }) => id), url: ownerUrl(web, viewer.urlKey, owner) };
  if ('issue' in owner) {
    const place = issueOfNews(setting, owner.issue, owner.teams[0]);
    return { kind: 'issue', ...place, followers: { audience: 'subscribers' } };
  }
  if ('project' in owner || 'projectUpdate' in owner) {
    const { id, name, slugId } = 'project' in owner ? owner.project : owner.projectOf;
    const project = { id, name, url: projectUrl(web, viewer.urlKey, { name, slugId }) };
    if ('project' in owner) {
      const followers = { audience: 'projectMembers' } as const;
      return { kind: 'project', ...known, ids: { projectId: id }, shown: () => ({ project }), followers };
    }
    const { projectUpdate: update } = owner;
    return {
      kind: 'projectUpdate',
      ...known,
      ids: { projectId: id, projectUpdateId: update.id },
      shown: () => ({ project, projectUpdate: { id: update.id, body: update.body, userId: update.userId, project } }),
      followers: { users: [update.userId] },
    };
  }
  const nothing = { ...known, shown: () => ({}) };
  if ('documentContentId' in owner.ids) {
    const { id, title, projectId } = owner.row as Document;
    const document = { id, title, ...(projectId !== null && { projectId }) };
    const followers = { audience: 'documentSubscribers' } as const;
    return { kind: 'document', ...nothing, ids: { documentId: id }, shown: () => ({ document }), followers };
  }
  if ('initiativeId' in owner.ids) {
    const { id, ownerId } = owner.row as Initiative;
    return { kind: 'initiative', ...nothing, ids: { initiativeId: id }, followers: { users: [ownerId] } };
  }
  const { id, initiativeId, userId } = owner.row as InitiativeUpdate;
  const ids = { initiativeId, initiativeUpdateId: id };
  return { kind: 'initiativeUpdate', ...nothing, ids, followers: { users: [userId] } };
}

/** News of a comment. @param causes by what it is on */
function newsOf(
  setting: Setting,
  owner: CommentOwner,
  { comment, parent }: { comment: ShownComment; parent: ShownComment | undefined },
  causes: (place: Place) => readonly Cause[],
): News {
  const place = placeOf(setting, owner);
  return {
    ...setting,
    ...place,
    ids: { ...place.ids, commentId: comment.id },
    causes: causes(place),
    shown: () => ({
      ...place.shown(),
      comment: shownComment(comment),
      ...(parent && { parentCommentId: parent.id, parentComment: shownComment(parent) }),
    }),
  };
}

const shownComment = ({ id, body, userId, issueId, ...owners }: ShownComment): object => {
  const { projectId, documentContentId, projectUpdateId, initiativeId, initiativeUpdateId } = owners;
  const all = {
    id,
    body,
    userId,
    issueId,
    projectId,
    documentContentId,
    projectUpdateId,
    initiativeId,
    initiativeUpdateId,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined));
};

/** Those whom it mentions, and those who are told of each comment. */
export const newsOfNew = (
  setting: Setting,
  owner: CommentOwner,
  comment: Comment,
  parent: ShownComment | undefined,
): News =>
  newsOf(setting, owner, { comment, parent }, ({ kind, followers }) => [
    { type: `${kind}CommentMention`, mentionedIn: { text: comment.body } },
    { type: `${kind}NewComment`, ...followers },
  ]);

/** Those whom it did not mention before. */
export const newsOfEdit = (
  setting: Setting,
  { owner, parent }: CommentContext,
  comment: Comment,
  before: Comment,
): News =>
  newsOf(setting, owner, { comment, parent }, ({ kind }) => [
    { type: `${kind}CommentMention`, mentionedIn: { text: comment.body, before: before.body } },
  ]);

/** Those who wrote in its thread. */
export const newsOfResolution = (setting: Setting, { owner, parent }: CommentContext, comment: Comment): News =>
  newsOf(setting, owner, { comment, parent }, ({ kind }) => [{ type: `${kind}ThreadResolved`, audience: 'thread' }]);

/** Who wrote the comment, the issue or the update. */
export function newsOfReaction(
  setting: Setting,
  owner: CommentOwner,
  emoji: string,
  on: { comment: Comment; parent: Comment | undefined } | undefined,
): News {
  const place = placeOf(setting, owner);
  const { kind } = place;
  const news = on
    ? newsOf(setting, owner, on, () => [{ type: `${kind}CommentReaction`, users: [on.comment.userId] }])
    : { ...setting, ...place, causes: reactionOn(owner) };
  return { ...news, ids: { ...news.ids, reactionEmoji: emoji } };
}

function reactionOn(owner: CommentOwner): Cause[] {
  if ('issue' in owner) return [{ type: 'issueEmojiReaction', users: [owner.issue.creatorId] }];
  if ('projectUpdate' in owner) return [{ type: 'projectUpdateReaction', users: [owner.projectUpdate.userId] }];
  return 'ids' in owner && 'initiativeUpdateId' in owner.ids
    ? [{ type: 'initiativeUpdateReaction', users: [(owner.row as InitiativeUpdate).userId] }]
    : [];
}
