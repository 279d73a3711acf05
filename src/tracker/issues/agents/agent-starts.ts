import { In, IsNull } from 'typeorm';
import type { Tx } from '../../../kernel/database/db.js';
import { newMark, newUuid } from '../../../kernel/ids/ids.js';
import type { Viewer } from '../../access/viewer.js';
import { mentionsUser } from '../../events/mentions.js';
import { User } from '../../store/user.entity.js';
import { commentEvent } from '../comments/comment-events.js';
import { Comment } from '../comments/comment.entity.js';
import type { Issue } from '../issue.entity.js';
import { AgentActivity } from './agent-activity.entity.js';
import { AgentActivityType, type AgentActivitySignal } from './agent-content.js';
import {
  recordActivity,
  recordSession,
  tellCreated,
  tellPrompted,
  type AgentPlace,
  type AgentSetting,
} from './agent-events.js';
import { AgentSession, isOpen } from './agent-session.entity.js';
import { AGENTS_OF_TEAM, type Agent } from './agent-sessions.queries.js';
import { afterPrompt, staleAfter, UNRESPONSIVE_MS } from './agent-states.js';

/* How sessions of agents begin, and are prompted, by what people do (docs/reference/tracker-agents.md#sessions). */

const isPerson = ({ oauth }: Viewer): boolean => oauth?.actor !== 'app';

const agentsOf = (tx: Tx, { organizationId }: Viewer, teamId: string): Promise<Agent[]> =>
  tx.query<Agent>(AGENTS_OF_TEAM, [organizationId, teamId]);

/** A person's comment begins sessions of the agents that it mentions, and prompts those of its thread. */
export async function agentsHearComment(
  tx: Tx,
  setting: AgentSetting,
  place: AgentPlace,
  comment: Comment,
  parent: Comment | undefined,
): Promise<void> {
  const { viewer } = setting;
  if (!viewer.hasAgents || !isPerson(viewer)) return;
  const agents = await agentsOf(tx, viewer, place.team.id);
  const mentioned = agents.filter(
    (agent) => agent.canBeMentioned && mentionsUser(comment.body, { ...agent, urlKey: viewer.urlKey }),
  );
  const there = parent ? await sessionsOfThread(tx, parent.id, agents) : new Map<string, AgentSession>();
  // who is mentioned is meant; a reply that mentions nobody is for all
  const prompted = mentioned.length > 0 ? mentioned : agents;
  for (const agent of prompted) {
    const session = there.get(agent.id);
    if (session)
      await prompt(tx, setting, place, session, { body: comment.body, comment, applicationId: agent.applicationId });
  }
  for (const agent of mentioned) {
    if (there.has(agent.id)) continue;
    const thread = parent ?? comment;
    await beginSession(tx, setting, place, { agent, thread, mention: comment, isDelegated: false });
  }
}

/** The newest session of each agent in a thread, locked. */
async function sessionsOfThread(
  tx: Tx,
  commentId: string,
  agents: readonly Agent[],
): Promise<ReadonlyMap<string, AgentSession>> {
  const sessions = await tx.sql.find(AgentSession, {
    where: { commentId, dismissedAt: IsNull(), appUserId: In(agents.map(({ id }) => id)) },
    order: { createdAt: 'ASC', id: 'ASC' },
    lock: { mode: 'pessimistic_write' },
  });
  return new Map(sessions.map((session) => [session.appUserId, session]));
}

/** An issue that is delegated begins a session of the agent; one that is taken away dismisses its sessions. */
export async function agentsHearDelegation(
  tx: Tx,
  setting: AgentSetting,
  place: AgentPlace,
  issue: Pick<Issue, 'id' | 'delegateId'>,
  before?: Pick<Issue, 'delegateId'>,
): Promise<void> {
  const { viewer } = setting;
  const was = before?.delegateId ?? null;
  if (issue.delegateId === was) return;
  if (was !== null) await dismiss(tx, setting, place, issue.id, was);
  if (issue.delegateId === null || issue.delegateId === viewer.userId || !viewer.hasAgents) return;
  const agent = (await agentsOf(tx, viewer, place.team.id)).find(({ id }) => id === issue.delegateId);
  if (!agent) return;
  const own = await tx.sql.findBy(AgentSession, { issueId: issue.id, appUserId: agent.id, isDelegated: true });
  if (own.some(isOpen)) return;
  const thread = await beginThread(tx, setting, place, agent);
  await beginSession(tx, setting, place, { agent, thread, mention: null, isDelegated: true });
}

async function dismiss(
  tx: Tx,
  setting: AgentSetting,
  place: AgentPlace,
  issueId: string,
  appUserId: string,
): Promise<void> {
  const { at, viewer } = setting;
  const sessions = await tx.sql.find(AgentSession, {
    where: { issueId, appUserId, isDelegated: true, dismissedAt: IsNull() },
    order: { createdAt: 'ASC', id: 'ASC' },
    lock: { mode: 'pessimistic_write' },
  });
  for (const session of sessions.filter(isOpen)) {
    const change = {
      dismissedAt: at,
      dismissedById: viewer.userId,
      staleAt: null,
      unresponsiveAt: null,
      updatedAt: at,
    };
    await tx.sql.update(AgentSession, { id: session.id }, change);
    recordSession(tx, setting, place, 'update', { ...session, ...change });
  }
}

/** The comment that the thread of a session begins with where nobody has written one. */
export function threadOf(
  { name, applicationId: id, avatarUrl }: Pick<Agent, 'name' | 'applicationId' | 'avatarUrl'>,
  { organizationId, issueId }: { readonly organizationId: string; readonly issueId: string },
  at: Date,
): Comment {
  return {
    id: newUuid(),
    organizationId,
    issueId,
    projectId: null,
    documentContentId: null,
    projectUpdateId: null,
    initiativeId: null,
    initiativeUpdateId: null,
    parentId: null,
    userId: null,
    body: `This thread is for an agent session with ${name}.`,
    quotedText: null,
    editedAt: null,
    resolvedAt: null,
    resolvingUserId: null,
    resolvingCommentId: null,
    botActor: { id, type: 'oauthClient', name, subType: null, avatarUrl, userDisplayName: null },
    createdAt: at,
    updatedAt: at,
  };
}

/** The same, stored and told. */
export async function beginThread(
  tx: Tx,
  setting: AgentSetting,
  { issue, team }: AgentPlace,
  agent: Pick<Agent, 'name' | 'applicationId' | 'avatarUrl'>,
): Promise<Comment> {
  const { viewer, web, at } = setting;
  const comment = threadOf(agent, { organizationId: viewer.organizationId, issueId: issue.id }, at);
  await tx.sql.insert(Comment, comment as object);
  const owner = { issue: issue as never, teams: [team] as const };
  tx.record(
    commentEvent({ web, viewer, action: 'create', at, after: comment, owner, user: undefined, parent: undefined }),
  );
  return comment;
}

interface Beginning {
  readonly agent: Pick<Agent, 'id' | 'applicationId'>;
  /** The first comment of its thread. */
  readonly thread: Pick<Comment, 'id'>;
  /** The comment that the agent is asked in. */
  readonly mention: Comment | null;
  readonly isDelegated: boolean;
  /** What the agent says of its own session: it is not told, and has no time to answer. */
  readonly own?: Pick<AgentSession, 'externalLink' | 'externalUrls'>;
}

export async function beginSession(
  tx: Tx,
  setting: AgentSetting,
  place: AgentPlace,
  { agent, thread, mention, isDelegated, own }: Beginning,
): Promise<AgentSession> {
  const { viewer, at } = setting;
  const session: AgentSession = {
    id: newUuid(),
    organizationId: viewer.organizationId,
    appUserId: agent.id,
    issueId: place.issue.id,
    commentId: thread.id,
    sourceCommentId: mention && mention.id !== thread.id ? mention.id : null,
    creatorId: own ? null : viewer.userId,
    isDelegated,
    status: 'pending',
    slugId: newMark(12),
    summary: null,
    externalLink: null,
    externalUrls: [],
    plan: null,
    ...own,
    startedAt: null,
    endedAt: null,
    dismissedAt: null,
    dismissedById: null,
    staleAt: staleAfter('pending', at),
    unresponsiveAt: own ? null : new Date(at.getTime() + UNRESPONSIVE_MS),
    createdAt: at,
    updatedAt: at,
  };
  await tx.sql.insert(AgentSession, session as object);
  recordSession(tx, setting, place, 'create', session);
  if (!own) await tellCreated(tx, setting, place, session, { applicationId: agent.applicationId, mention });
  return session;
}

interface Prompt {
  readonly body: string;
  /** The comment that says it. */
  readonly comment?: Pick<Comment, 'id'>;
  readonly signal?: AgentActivitySignal | null;
  readonly applicationId: string;
}

/** A person says something in a session, which is locked. */
export async function prompt(
  tx: Tx,
  setting: AgentSetting,
  place: AgentPlace,
  before: AgentSession,
  { body, comment, signal = null, applicationId }: Prompt,
): Promise<{ session: AgentSession; activity: AgentActivity }> {
  const { viewer, at } = setting;
  const activity = await addActivity(tx, setting, place, before, {
    userId: viewer.userId,
    type: AgentActivityType.prompt,
    content: { type: AgentActivityType.prompt, body },
    ephemeral: false,
    signal,
    signalMetadata: null,
    sourceCommentId: comment?.id ?? null,
  });
  const session = await changeSession(tx, setting, place, before, afterPrompt(before, signal, at));
  await tellPrompted(tx, setting, place, session, { applicationId, activity });
  return { session, activity };
}

type Said = Pick<
  AgentActivity,
  'userId' | 'type' | 'content' | 'ephemeral' | 'signal' | 'signalMetadata' | 'sourceCommentId'
> & { id?: string };

/** Adds an activity to a session, which is locked; an ephemeral one before it is over. */
export async function addActivity(
  tx: Tx,
  setting: AgentSetting,
  place: AgentPlace,
  session: AgentSession,
  said: Said,
): Promise<AgentActivity> {
  const { viewer, at } = setting;
  const passing = { agentSessionId: session.id, ephemeral: true, archivedAt: IsNull() };
  for (const over of await tx.sql.findBy(AgentActivity, passing)) {
    const change = { archivedAt: at, updatedAt: at };
    await tx.sql.update(AgentActivity, { id: over.id }, change);
    recordActivity(tx, setting, place, 'update', { ...over, ...change });
  }
  // in the order in which they were said, while the clock stands still too
  const last = await tx.sql.findOne(AgentActivity, {
    where: { agentSessionId: session.id },
    order: { createdAt: 'DESC', id: 'DESC' },
  });
  const createdAt = last && last.createdAt >= at ? new Date(last.createdAt.getTime() + 1) : at;
  const activity: AgentActivity = {
    organizationId: viewer.organizationId,
    agentSessionId: session.id,
    ...said,
    id: said.id ?? newUuid(),
    archivedAt: null,
    createdAt,
    updatedAt: createdAt,
  };
  await tx.sql.insert(AgentActivity, activity as object);
  recordActivity(tx, setting, place, 'create', activity);
  return activity;
}

/** Writes a session, which is locked. */
export async function changeSession(
  tx: Tx,
  setting: AgentSetting,
  place: AgentPlace,
  before: AgentSession,
  wanted: Partial<AgentSession>,
): Promise<AgentSession> {
  const change = { ...wanted, updatedAt: setting.at };
  await tx.sql.update(AgentSession, { id: before.id }, change as object);
  const session = { ...before, ...change };
  recordSession(tx, setting, place, 'update', session);
  return session;
}

/** The application of an agent's user. */
export async function applicationOf(tx: Tx, { appUserId }: AgentSession): Promise<string> {
  const { applicationId } = await tx.sql.findOneByOrFail(User, { id: appUserId });
  return applicationId as string;
}
