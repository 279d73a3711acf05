import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/db.js';
import { Door } from '../../access/access.js';
import { botActorOf } from '../../access/bot-actor.js';
import type { Viewer } from '../../access/viewer.js';
import { EntityNeeds, EntityService } from '../../entity/service.js';
import { mutate, type Mutated } from '../../events/mutation.js';
import { Team } from '../../store/team.entity.js';
import { webFor } from '../../values/urls.js';
import {
  brokenRule,
  forbidden,
  idAlreadyUsed,
  invalidArgument,
  notFound,
  unknownReference,
} from '../../values/errors.js';
import { CommentsService } from '../comments/comments.service.js';
import type { Issue } from '../issue.entity.js';
import { AgentActivity } from './agent-activity.entity.js';
import { AgentActivitySignal, checkSignal, isPassing, offeredBy, readContent } from './agent-content.js';
import type { AgentPlace, AgentSetting } from './agent-events.js';
import { type AgentSession, agentSessions } from './agent-session.entity.js';
import type {
  AgentActivityCreateInput,
  AgentSessionCreateOnComment,
  AgentSessionCreateOnIssue,
  AgentSessionUpdateInput,
} from './agent-sessions.inputs.js';
import { AGENTS_OF_TEAM, type Agent } from './agent-sessions.queries.js';
import { addActivity, applicationOf, beginSession, beginThread, changeSession, prompt } from './agent-starts.js';
import { afterActivity } from './agent-states.js';

type Answer = { agentSession: AgentSession } & Mutated;

const PLAN_STATUSES: readonly unknown[] = ['pending', 'inProgress', 'completed', 'canceled'];

/** What a person says to an agent: in its thread, as a stop, or as one of the offered choices. */
export type Prompt = { readonly body: string } | { readonly stop: true } | { readonly select: string };

/** Sessions of agents and what is said in them (docs/reference/tracker-agents.md). */
@Injectable()
export class AgentSessionsService extends EntityService<typeof agentSessions> {
  private readonly issues: Door<'Issue'>;
  private readonly commentDoor: Door<'Comment'>;

  constructor(
    needs: EntityNeeds,
    private readonly comments: CommentsService,
  ) {
    super(agentSessions, needs);
    this.issues = new Door(needs.db, 'Issue');
    this.commentDoor = new Door(needs.db, 'Comment');
  }

  /** An agent begins one by itself: nobody tells it so. @throws forbidden, brokenRule, unknownReference */
  createOnIssue(viewer: Viewer, input: AgentSessionCreateOnIssue): Promise<Answer> {
    return mutate(this.needs.db, viewer, async (tx) => {
      const issue = await this.issues.find(viewer, input.issueId, tx, 'use');
      if (!issue) throw unknownReference('issueId');
      const place = await this.placeOfIssue(tx, issue);
      const agent = await this.requireAgent(tx, viewer, place);
      const setting = this.setting(viewer);
      const thread = await beginThread(tx, setting, place, agent);
      return { agentSession: await this.beginOwn(tx, setting, place, { agent, thread, input }) };
    });
  }

  /** The same in a thread that is there. @throws forbidden, brokenRule, unknownReference */
  createOnComment(viewer: Viewer, input: AgentSessionCreateOnComment): Promise<Answer> {
    return mutate(this.needs.db, viewer, async (tx) => {
      const thread = await this.commentDoor.find(viewer, input.commentId, tx, 'use');
      const issue = thread?.issueId ? await this.issues.find(viewer, thread.issueId, tx, 'use') : undefined;
      if (!thread || !issue) throw unknownReference('commentId');
      if (thread.parentId !== null) throw brokenRule('commentId is a reply');
      const place = await this.placeOfIssue(tx, issue);
      const agent = await this.requireAgent(tx, viewer, place);
      return { agentSession: await this.beginOwn(tx, this.setting(viewer), place, { agent, thread, input }) };
    });
  }

  private beginOwn(
    tx: Tx,
    setting: AgentSetting,
    place: AgentPlace,
    {
      agent,
      thread,
      input,
    }: { agent: Agent; thread: { id: string }; input: Omit<AgentSessionCreateOnIssue, 'issueId'> },
  ): Promise<AgentSession> {
    const own = { externalLink: input.externalLink ?? null, externalUrls: uniqueByUrl(input.externalUrls ?? []) };
    return beginSession(tx, setting, place, { agent, thread, mention: null, isDelegated: false, own });
  }

  /** @throws notFound, forbidden, invalidArgument */
  change(viewer: Viewer, id: string, input: AgentSessionUpdateInput): Promise<Answer> {
    return mutate(this.needs.db, viewer, async (tx) => {
      const { session, place } = await this.holdWithIssue(tx, viewer, id);
      requireOwn(viewer, session);
      const externalUrls = urlsAfter(session, input);
      const { externalLink, plan, summary } = input;
      if (typeof summary === 'string' && /[\r\n]/.test(summary))
        throw invalidArgument('summary', 'isSingleLine', 'summary must not contain line breaks');
      if (plan !== undefined && plan !== null && !isPlan(plan))
        throw invalidArgument('plan', 'isPlan', 'plan must be a list of steps with content and status');
      const isAcknowledged = input.externalUrls !== undefined || input.addedExternalUrls !== undefined;
      const change = {
        externalUrls,
        ...(externalLink !== undefined && { externalLink }),
        ...(plan !== undefined && { plan: plan as object[] | null }),
        ...(summary !== undefined && { summary }),
        ...(isAcknowledged && { unresponsiveAt: null }),
      };
      return { agentSession: await changeSession(tx, this.setting(viewer), place, session, change) };
    });
  }

  /** What an agent says. @throws notFound, forbidden, brokenRule, invalidArgument, idAlreadyUsed */
  say(viewer: Viewer, input: AgentActivityCreateInput): Promise<{ agentActivity: AgentActivity } & Mutated> {
    const content = readContent(input.content);
    const ephemeral = input.ephemeral ?? false;
    if (ephemeral && !isPassing(content.type))
      throw invalidArgument('ephemeral', 'isEphemeral', `ephemeral does not go with the type ${content.type}`);
    checkSignal(content.type, input.signal, input.signalMetadata);
    return mutate(this.needs.db, viewer, async (tx) => {
      const { session, place } = await this.holdWithIssue(tx, viewer, input.agentSessionId);
      requireOwn(viewer, session);
      if (session.dismissedAt !== null) throw brokenRule('agent session is dismissed');
      await this.requireAgent(tx, viewer, place);
      if (input.id !== undefined && (await tx.sql.existsBy(AgentActivity, { id: input.id })))
        throw idAlreadyUsed('AgentActivity', input.id);
      const setting = this.setting(viewer);
      // what is more than a thought stands in the thread as well
      const mirrored =
        isPassing(content.type) || session.commentId === null
          ? null
          : await this.comments.make(tx, viewer, {
              issueId: session.issueId,
              parentId: session.commentId,
              body: content['body'] as string,
            });
      const activity = await addActivity(tx, setting, place, session, {
        ...(input.id !== undefined && { id: input.id }),
        userId: viewer.userId,
        type: content.type,
        content,
        ephemeral,
        signal: input.signal ?? null,
        signalMetadata: input.signalMetadata ?? null,
        sourceCommentId: mirrored?.id ?? null,
      });
      const change = { ...afterActivity(session, content.type, setting.at), unresponsiveAt: null };
      await changeSession(tx, setting, place, session, change);
      return { agentActivity: activity };
    });
  }

  /** Says something to an agent for a person. @throws notFound, brokenRule, invalidArgument */
  prompt(
    viewer: Viewer,
    id: string,
    said: Prompt,
  ): Promise<{ session: AgentSession; activity: AgentActivity } & Mutated> {
    return mutate(this.needs.db, viewer, async (tx) => {
      const { session, place } = await this.holdWithIssue(tx, viewer, id);
      if (session.dismissedAt !== null) throw brokenRule('agent session is dismissed');
      const setting = this.setting(viewer);
      const applicationId = await applicationOf(tx, session);
      if ('select' in said && !(await this.isOffered(tx, session, said.select)))
        throw invalidArgument('value', 'isIn', 'value must be one of those that were offered');
      if ('stop' in said)
        return prompt(tx, setting, place, session, { body: 'Stop', signal: AgentActivitySignal.stop, applicationId });
      const body = 'body' in said ? said.body : said.select;
      const inThread = session.commentId !== null;
      const comment = inThread
        ? await this.comments.make(
            tx,
            { ...viewer, hasAgents: false },
            { issueId: session.issueId, parentId: session.commentId as string, body },
          )
        : undefined;
      return prompt(tx, setting, place, session, { body, applicationId, ...(comment && { comment }) });
    });
  }

  private async isOffered(tx: Tx, { id: agentSessionId }: AgentSession, value: string): Promise<boolean> {
    const where = { agentSessionId, type: 'elicitation' };
    const last = await tx.sql.findOne(AgentActivity, { where, order: { createdAt: 'DESC', id: 'DESC' } });
    return last?.signal === 'select' && offeredBy(last.signalMetadata).includes(value);
  }

  private setting(viewer: Viewer): AgentSetting {
    return { viewer, web: webFor(this.needs.publicUrl.base, viewer), at: this.needs.clock.now() };
  }

  /** A session, locked after its issue, as all writers do. @throws notFound */
  private async holdWithIssue(
    tx: Tx,
    viewer: Viewer,
    id: string,
  ): Promise<{ session: AgentSession; place: AgentPlace }> {
    const { issueId } = await this.door.visible(viewer, id, tx);
    const issue = await this.issues.find(viewer, issueId, tx, 'use');
    const session = await this.door.forUpdate(tx, viewer, id);
    if (!issue) throw notFound('AgentSession');
    return { session, place: await this.placeOfIssue(tx, issue) };
  }

  private async placeOfIssue(tx: Tx, issue: Issue): Promise<AgentPlace> {
    return { issue, team: await tx.sql.findOneByOrFail(Team, { id: issue.teamId }) };
  }

  /** @throws forbidden to people, brokenRule where the application has no agent sessions */
  private async requireAgent(tx: Tx, viewer: Viewer, { team }: AgentPlace): Promise<Agent> {
    if (botActorOf(viewer, {}) === null)
      throw forbidden('Only applications that act as themselves have agent sessions.');
    const agents = await tx.query<Agent>(AGENTS_OF_TEAM, [viewer.organizationId, team.id]);
    const agent = agents.find(({ id }) => id === viewer.userId);
    if (!agent) throw brokenRule('Agent sessions are not enabled for this application.');
    return agent;
  }
}

/** @throws forbidden */
function requireOwn({ userId }: Viewer, { appUserId }: AgentSession): void {
  if (appUserId !== userId) throw forbidden('Only its own application can change an agent session.');
}

const uniqueByUrl = <T extends { url: string }>(urls: readonly T[]): T[] => [
  ...new Map(urls.map((one) => [one.url, one])).values(),
];

function urlsAfter({ externalUrls }: AgentSession, input: AgentSessionUpdateInput) {
  const plain = ({ label, url }: { label: string; url: string }) => ({ label, url });
  if (input.externalUrls !== undefined) return uniqueByUrl(input.externalUrls.map(plain));
  const kept = externalUrls.filter(({ url }) => !(input.removedExternalUrls ?? []).includes(url));
  return uniqueByUrl([...kept, ...(input.addedExternalUrls ?? []).map(plain)]);
}

const isPlan = (plan: object): boolean =>
  Array.isArray(plan) &&
  plan.every(
    (step: unknown) =>
      typeof step === 'object' &&
      step !== null &&
      typeof (step as { content?: unknown }).content === 'string' &&
      PLAN_STATUSES.includes((step as { status?: unknown }).status),
  );
