import type { Tx } from '../../kernel/database/db.js';
import { newUuid } from '../../kernel/ids/ids.js';
import type { Viewer } from '../access/viewer.js';
import type { Comment } from '../issues/comments/comment.entity.js';
import type { Issue } from '../issues/issue.entity.js';
import { issueUrl, userUrl } from '../values/urls.js';
import { APP_LISTENERS, type AppListener } from './app-notifications.queries.js';
import { mentionsUser } from './mentions.js';
import { applicationEvent } from './application-events.js';

/** An issue, as applications are told of it. */
export type NewsIssue = Pick<
  Issue,
  'id' | 'identifier' | 'title' | 'teamId' | 'description' | 'creatorId' | 'assigneeId' | 'delegateId' | 'stateId'
>;

/** What somebody did with an issue. */
export interface IssueNews {
  readonly issue: NewsIssue;
  readonly team: { readonly id: string; readonly key: string; readonly name: string } | undefined;
  /** As it was; absent when it was made. */
  readonly before?: NewsIssue;
  /** A new one. */
  readonly comment?: Pick<Comment, 'id' | 'body' | 'userId' | 'issueId'>;
}

/** Who did it, and when. */
interface Setting {
  readonly viewer: Viewer;
  readonly web: string;
  readonly at: Date;
}

/**
 * Tells applications of what concerns their own users (docs/reference/tracker-oauth.md#webhooks). It costs nothing where no
 * application asks for that.
 */
export async function notifyApps(tx: Tx, setting: Setting, news: IssueNews): Promise<void> {
  const { viewer, at } = setting;
  if (!viewer.tellsApps) return;
  const { organizationId, tenantId, userId } = viewer;
  const { issue } = news;
  const listeners = await tx.query<AppListener>(APP_LISTENERS, [organizationId, issue.teamId, issue.id, userId]);
  for (const listener of listeners) {
    for (const action of actionsFor(listener, news, viewer.urlKey)) {
      const { applicationId } = listener;
      const place = { organizationId, tenantId, applicationId, at };
      const notification = notificationFor(listener, action, setting, news);
      tx.record(applicationEvent('AppUserNotification', action, place, { appUserId: listener.id, notification }));
    }
  }
}

function actionsFor(
  { id, displayName, canBeMentioned, isSubscribed }: AppListener,
  news: IssueNews,
  urlKey: string,
): string[] {
  const { issue, before, comment } = news;
  const isMentionedIn = (text: string | null | undefined): boolean =>
    canBeMentioned && mentionsUser(text ?? '', { displayName, urlKey });
  const isTheirs = (one: NewsIssue | undefined): boolean => one?.assigneeId === id || one?.delegateId === id;
  const isConcerned = isSubscribed || issue.creatorId === id || isTheirs(issue);
  if (comment) {
    if (isMentionedIn(comment.body)) return ['issueCommentMention'];
    return isConcerned ? ['issueNewComment'] : [];
  }
  return [
    ...(isTheirs(issue) && !isTheirs(before) ? ['issueAssignedToYou'] : []),
    ...(isTheirs(before) && !isTheirs(issue) ? ['issueUnassignedFromYou'] : []),
    ...(isMentionedIn(issue.description) && !isMentionedIn(before?.description) ? ['issueMention'] : []),
    ...(before && before.stateId !== issue.stateId && isConcerned ? ['issueStatusChanged'] : []),
  ];
}

function notificationFor(
  { id: userId }: AppListener,
  type: string,
  { viewer, web, at }: Setting,
  { issue, team, comment }: IssueNews,
): object {
  const { userId: actorId, name, email, urlKey, displayName } = viewer;
  const { id, identifier, title, teamId, description } = issue;
  return {
    id: newUuid(),
    type,
    createdAt: at.toISOString(),
    updatedAt: at.toISOString(),
    userId,
    actorId,
    actor: { id: actorId, name, email, url: userUrl(web, urlKey, displayName) },
    issueId: id,
    issue: {
      id,
      identifier,
      title,
      url: issueUrl(web, urlKey, issue),
      teamId,
      ...(team && { team: { id: team.id, key: team.key, name: team.name } }),
      ...(description !== null && { description }),
    },
    ...(comment && {
      commentId: comment.id,
      comment: { id: comment.id, body: comment.body, userId: comment.userId, issueId: comment.issueId },
    }),
  };
}
