import type { Tx } from '../../../kernel/database/db.js';
import type { Viewer } from '../../access/viewer.js';
import type { NewsIssue } from '../issue-of-news.js';
import { applicationEvent } from '../../events/application-events.js';
import { type EventAction, trackerEvent } from '../../events/tracker-events.js';
import { userData } from '../../events/user-data.js';
import { User } from '../../store/user.entity.js';
import type { Team } from '../../store/team.entity.js';
import { issueUrl } from '../../values/urls.js';
import { Comment } from '../comments/comment.entity.js';
import { agentActivities, type AgentActivity } from './agent-activity.entity.js';
import { agentSessions, type AgentSession } from './agent-session.entity.js';
import { CONTEXT_COMMENTS, CONTEXT_ISSUE, type ContextComment, type ContextIssue } from './agent-sessions.queries.js';
import { guidanceOf, promptContext } from './prompt-context.js';

/** Who does something, and when. `web` is what URLs begin with for them. */
export interface AgentSetting {
  readonly viewer: Viewer;
  readonly web: string;
  readonly at: Date;
}

/** Where a session is. */
export interface AgentPlace {
  readonly issue: NewsIssue;
  readonly team: Pick<Team, 'id' | 'key' | 'name' | 'private'>;
}

export const agentSessionUrl = (issue: string, id: string): string => `${issue}#agent-session-${id.slice(0, 8)}`;

/** The news of a session for sockets and the timeline. */
export function recordSession(
  tx: Tx,
  { viewer, web, at }: AgentSetting,
  { issue, team }: AgentPlace,
  action: EventAction,
  session: AgentSession,
): void {
  const url = agentSessionUrl(issueUrl(web, viewer.urlKey, issue), session.id);
  const data = { ...agentSessions.data(session), type: 'commentThread', url };
  tx.record(trackerEvent({ web, viewer, at, type: 'AgentSession', action, data, url, teams: [team] }));
}

/** The same of an activity. */
export function recordActivity(
  tx: Tx,
  { viewer, web, at }: AgentSetting,
  { issue, team }: AgentPlace,
  action: EventAction,
  activity: AgentActivity,
): void {
  const url = agentSessionUrl(issueUrl(web, viewer.urlKey, issue), activity.agentSessionId);
  const data = agentActivities.data(activity);
  tx.record(trackerEvent({ web, viewer, at, type: 'AgentActivity', action, data, url, teams: [team] }));
}

/** Nobody has heard of the agent in time. */
export function recordUnresponsive(
  tx: Tx,
  { viewer, web, at }: AgentSetting,
  { team, issue }: AgentPlace,
  { id, issueId, appUserId }: AgentSession,
): void {
  const url = agentSessionUrl(issueUrl(web, viewer.urlKey, issue), id);
  const data = { id, issueId, appUserId };
  const event = trackerEvent({ web, viewer, at, type: 'AgentSession', action: 'update', data, url, teams: [team] });
  tx.record({ ...event, kind: 'agentSession.unresponsive', data: JSON.stringify(data) });
}

/** Tells an application that a session of its own user has begun (docs/reference/tracker-agents.md#events). */
export async function tellCreated(
  tx: Tx,
  setting: AgentSetting,
  place: AgentPlace,
  session: AgentSession,
  { applicationId, mention }: { applicationId: string; mention: Comment | null },
): Promise<void> {
  const threadId = session.commentId as string;
  const [issue] = await tx.query<ContextIssue>(CONTEXT_ISSUE, [place.issue.id]);
  const comments = await tx.query<ContextComment>(CONTEXT_COMMENTS, [place.issue.id, threadId]);
  if (!issue) return;
  const previous = mention?.parentId
    ? comments.filter(({ id, parentId }) => (id === threadId || parentId === threadId) && id !== mention.id)
    : [];
  const guidance = guidanceOf(issue);
  await tell(tx, setting, place, session, applicationId, 'created', {
    promptContext: promptContext(issue, comments, { threadId, isMentioned: !session.isDelegated }),
    ...(previous.length > 0 && {
      previousComments: previous.map(({ id, body, userId }) => commentData({ id, body, userId }, place)),
    }),
    ...(guidance.length > 0 && { guidance }),
  });
}

/** Tells an application that somebody has said something in a session. */
export async function tellPrompted(
  tx: Tx,
  setting: AgentSetting,
  place: AgentPlace,
  session: AgentSession,
  { applicationId, activity }: { applicationId: string; activity: AgentActivity },
): Promise<void> {
  const { viewer, web } = setting;
  const { id, createdAt, updatedAt, content, signal, signalMetadata, sourceCommentId, userId } = activity;
  await tell(tx, setting, place, session, applicationId, 'prompted', {
    agentActivity: {
      id,
      agentSessionId: session.id,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
      content,
      ...(signal !== null && { signal }),
      ...(signalMetadata !== null && { signalMetadata }),
      ...(sourceCommentId !== null && { sourceCommentId }),
      userId,
      user: userData(web, viewer.urlKey, { ...viewer, id: userId }),
    },
  });
}

async function tell(
  tx: Tx,
  { viewer, web, at }: AgentSetting,
  place: AgentPlace,
  session: AgentSession,
  applicationId: string,
  action: 'created' | 'prompted',
  more: object,
): Promise<void> {
  const { issue, team } = place;
  const { organizationId, tenantId, urlKey } = viewer;
  const comment = session.commentId && (await tx.sql.findOneBy(Comment, { id: session.commentId }));
  const creator = session.creatorId && (await tx.sql.findOneBy(User, { id: session.creatorId }));
  const url = issueUrl(web, urlKey, issue);
  const { id, appUserId, creatorId, commentId, sourceCommentId, status, summary } = session;
  const said = {
    id,
    createdAt: session.createdAt.toISOString(),
    updatedAt: session.updatedAt.toISOString(),
    organizationId,
    appUserId,
    ...(creatorId !== null && { creatorId }),
    issueId: issue.id,
    ...(commentId !== null && { commentId }),
    ...(sourceCommentId !== null && { sourceCommentId }),
    status,
    type: 'commentThread',
    ...(summary !== null && { summary }),
    ...(session.startedAt && { startedAt: session.startedAt.toISOString() }),
    ...(session.endedAt && { endedAt: session.endedAt.toISOString() }),
    url: agentSessionUrl(url, id),
    issue: {
      id: issue.id,
      identifier: issue.identifier,
      title: issue.title,
      url,
      teamId: team.id,
      team: { id: team.id, key: team.key, name: team.name },
      ...(issue.description !== null && { description: issue.description }),
    },
    ...(comment && { comment: commentData(comment, place) }),
    ...(creator && { creator: userData(web, urlKey, creator) }),
  };
  const news = { organizationId, tenantId, applicationId, at };
  tx.record(applicationEvent('AgentSessionEvent', action, news, { appUserId, agentSession: said, ...more }));
}

const commentData = ({ id, body, userId }: Pick<Comment, 'id' | 'body' | 'userId'>, { issue }: AgentPlace): object => ({
  id,
  body,
  issueId: issue.id,
  ...(userId !== null && { userId }),
});
