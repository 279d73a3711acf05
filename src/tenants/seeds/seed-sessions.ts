import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { insertMany } from '../../kernel/database/insert-many.queries.js';
import { newMark, newUuid } from '../../kernel/ids/ids.js';
import { AgentActivity } from '../../tracker/issues/agents/agent-activity.entity.js';
import {
  type AgentActivitySignal,
  type AgentActivityType,
  checkSignal,
} from '../../tracker/issues/agents/agent-content.js';
import { AgentSession } from '../../tracker/issues/agents/agent-session.entity.js';
import { threadOf } from '../../tracker/issues/agents/agent-starts.js';
import { NEVER, staleAfter } from '../../tracker/issues/agents/agent-states.js';
import { PASSING } from '../../tracker/issues/agents/content-keys.js';
import { Comment } from '../../tracker/issues/comments/comment.entity.js';
import { INSERT_SUBSCRIBERS } from '../../tracker/issues/seeds.queries.js';
import { AGENTS_OF_ORGANIZATION } from '../../tracker/provisioning/seeds.queries.js';
import { TrackerError } from '../../tracker/values/errors.js';
import { requireAllInserted, type TrackerNames, type TrackerSeedContext } from './known-tracker.js';
import { columns } from './seed-projects.js';
import type { SeedIssue, SeedSession, SeedTeam } from './seed-types.js';

/** An application that acts as itself. */
interface Agent {
  readonly id: string;
  readonly name: string;
  readonly applicationId: string;
  readonly avatarUrl: string | null;
}

class SessionRows {
  readonly sessions: Partial<AgentSession>[] = [];
  readonly comments: Partial<Comment>[] = [];
  readonly activities: Partial<AgentActivity>[] = [];
  readonly subscribers: [string, string][] = [];
}

/** What applications did as agents in the issues of a document. Nobody is told of it. */
@Injectable()
export class SeedSessions {
  constructor(private readonly clock: Clock) {}

  /** Faults are added to `faults`. */
  async add(
    tx: Tx,
    context: TrackerSeedContext,
    teams: readonly SeedTeam[],
    names: TrackerNames,
    faults: string[],
  ): Promise<void> {
    const issues = teams.flatMap((team) => team.issues).filter(({ sessions }) => sessions.length > 0);
    if (faults.length > 0 || issues.length === 0) return;
    const agents = new Map(
      (await tx.query<Agent>(AGENTS_OF_ORGANIZATION, [context.organizationId])).map((one) => [one.name, one]),
    );
    const rows = new SessionRows();
    for (const issue of issues) {
      for (const session of issue.sessions) {
        const agent = agents.get(session.app);
        if (agent) this.gather(context, { issue, session, agent, names }, rows, faults);
        else faults.push(`${session.path}.app: no application that acts as itself has the name "${session.app}"`);
      }
    }
    if (faults.length > 0) return;
    const { sessions, comments, activities, subscribers } = rows;
    await requireAllInserted(insertMany(tx, Comment, comments), comments.length, 'tracker.teams');
    await requireAllInserted(insertMany(tx, AgentSession, sessions), sessions.length, 'tracker.teams');
    await requireAllInserted(insertMany(tx, AgentActivity, activities), activities.length, 'tracker.teams');
    await tx.query(INSERT_SUBSCRIBERS, columns(subscribers));
  }

  private gather(
    context: TrackerSeedContext,
    { issue, session, agent, names }: { issue: SeedIssue; session: SeedSession; agent: Agent; names: TrackerNames },
    rows: SessionRows,
    faults: string[],
  ): void {
    const { organizationId, userId, creatorId } = context;
    const person = (name: string | undefined): string | null => (name === undefined ? null : (userId(name) as string));
    const issueId = names.issueIds.get(issue) as string;
    const id = session.id ?? newUuid();
    // what has no time of its own is of now, in the order of the document
    const begun =
      session.at === undefined
        ? new Date(this.clock.nowMs() - session.activities.length - 1)
        : new Date(session.at / 1000);
    const thread = threadOf(agent, { organizationId, issueId }, begun);
    rows.comments.push(thread);
    rows.subscribers.push([issueId, agent.id]);
    let last = begun;
    let startedAt: Date | null = null;
    let passing: Partial<AgentActivity> | undefined;
    for (const said of session.activities) {
      const isPrompt = said.type === 'prompt';
      try {
        if (!isPrompt)
          checkSignal(
            said.type as AgentActivityType,
            said.signal as AgentActivitySignal | undefined,
            said.signalMetadata,
          );
      } catch (error) {
        if (!(error instanceof TrackerError)) throw error;
        faults.push(`${said.path}: the signal does not fit`);
      }
      // in the order in which they were said
      const at = new Date(Math.max(said.at === undefined ? 0 : said.at / 1000, last.getTime() + 1));
      last = at;
      if (passing) Object.assign(passing, { archivedAt: at });
      if (PASSING.includes(said.type)) startedAt ??= at;
      const speaker = isPrompt ? (person(said.as) ?? creatorId) : agent.id;
      const isMirrored = !isPrompt && !PASSING.includes(said.type);
      const mirrored = isMirrored
        ? { ...thread, id: newUuid(), userId: agent.id, parentId: thread.id, body: String(said.content['body']) }
        : undefined;
      if (mirrored) rows.comments.push({ ...mirrored, createdAt: at, updatedAt: at });
      const activity: Partial<AgentActivity> = {
        id: said.id ?? newUuid(),
        organizationId,
        agentSessionId: id,
        userId: speaker,
        type: said.type,
        content: said.content,
        ephemeral: said.isEphemeral,
        signal: said.signal ?? null,
        signalMetadata: said.signalMetadata ?? null,
        sourceCommentId: mirrored?.id ?? null,
        archivedAt: null,
        createdAt: at,
        updatedAt: at,
      };
      rows.activities.push(activity);
      passing = said.isEphemeral ? activity : undefined;
    }
    const hasEnded = session.status === 'complete' || session.status === 'error';
    const dismissedById = person(session.dismissed);
    rows.sessions.push({
      id,
      organizationId,
      appUserId: agent.id,
      issueId,
      commentId: thread.id,
      sourceCommentId: null,
      creatorId: person(session.as),
      isDelegated: session.isDelegated,
      status: session.status,
      slugId: newMark(12),
      summary: session.summary ?? null,
      externalLink: session.externalLink ?? null,
      externalUrls: [...session.externalUrls],
      plan: session.plan === undefined ? null : [...session.plan],
      startedAt,
      endedAt: hasEnded ? last : null,
      dismissedAt: dismissedById === null ? null : last,
      dismissedById,
      staleAt: dismissedById === null ? staleAfter(session.status, last) : null,
      // nobody was asked, so nobody is unresponsive
      unresponsiveAt: startedAt === null ? NEVER : null,
      createdAt: begun,
      updatedAt: last,
    });
  }
}
