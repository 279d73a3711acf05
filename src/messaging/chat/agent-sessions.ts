import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { SandboxDues } from '../../kernel/sandbox/sandbox-dues.js';
import { SandboxReader } from '../../kernel/sandbox/sandbox-flags.js';
import { AppsAccess } from '../access/apps-access.js';
import { isMember, type Caller } from '../access/conversation-access.js';
import { MessageAccess } from '../access/message-access.js';
import type { EventPlace } from '../events/chat-events.js';
import { MessageLog } from '../messages/message-log.js';
import { parseTs } from '../store/message-ts.js';
import { isAgent } from '../wire/agent-view.js';
import { MessagingError } from '../wire/codes.js';
import { AgentSession, SESSION_STATUSES, type AgentStatus, type SessionStatus } from './agent-session.entity.js';
import { HEARS_KIND, NEXT_SESSION_END, OVERDUE_SESSIONS, SESSIONS_OF_USER } from './agent-sessions.queries.js';
import { Revisions } from './revisions.service.js';
import { rewriteMessage } from './revisions.queries.js';

/** How long an agent works at most, in seconds: then it is `active`. */
const PROCESSING_SECONDS = 3_600;
const LOOK_EVERY_MS = 1_000;

/** What an agent says of its part in a session; null takes away, absent keeps. */
export interface AgentSays {
  readonly status: SessionStatus;
  /** Only when the session is made. */
  readonly title?: string | undefined;
  readonly username?: string | null | undefined;
  readonly iconEmoji?: string | null | undefined;
  readonly iconUrl?: string | null | undefined;
}

/** Sessions of agents in threads (docs/reference/chat.md#agent-sessions). The callers hold the conversation. */
@Injectable()
export class AgentSessions {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly apps: AppsAccess,
    private readonly messages: MessageAccess,
    private readonly log: MessageLog,
    private readonly revisions: Revisions,
    private readonly sandboxes: SandboxReader,
    dues: SandboxDues,
    upkeep: Upkeep,
  ) {
    dues.register({ next: (tenantId) => this.nextEnd(tenantId), run: () => this.expireOverdue() });
    upkeep.register('ending sessions of agents', LOOK_EVERY_MS, () => this.expireOverdue());
  }

  /** @throws MessagingError not_authorized unless the caller's bot is a member and its app an agent */
  async requireAgent(tx: Tx, caller: Caller, conversationId: string): Promise<void> {
    const app = caller.app && (await this.apps.find(caller.workspaceId, caller.app.id, tx));
    if (!app || !isAgent(app) || !(await isMember(tx, conversationId, caller.userId))) {
      throw new MessagingError('not_authorized');
    }
  }

  /** The first message of a thread, in microseconds. @throws MessagingError thread_not_found */
  async threadOf(tx: Tx, conversationId: string, ts: number): Promise<number> {
    const thread = await this.log.threadOf(tx, conversationId, ts).catch((error: unknown) => {
      if (error instanceof MessagingError) return null;
      throw error;
    });
    if (!thread) throw new MessagingError('thread_not_found');
    return parseTs(thread.ts) as number;
  }

  find(tx: Tx, conversationId: string, threadTs: number): Promise<AgentSession | null> {
    return tx.sql.findOneBy(AgentSession, { conversationId, threadTs });
  }

  /** Whether the app hears when a person stops it. */
  async isStoppable(tx: Tx, workspaceId: string, appId: string): Promise<boolean> {
    return (await tx.query(HEARS_KIND, [workspaceId, appId, 'agent_session_stopped'])).length > 0;
  }

  /** Sets the status of the caller's app in a thread's session, which is made where there is none. */
  async setStatus(tx: Tx, place: EventPlace, caller: Caller, threadTs: number, says: AgentSays): Promise<AgentSession> {
    const { id: appId } = caller.app as { id: string };
    const key = { conversationId: place.conversation.id, threadTs };
    const known = await this.find(tx, key.conversationId, threadTs);
    const before = known?.statuses.find((one) => one.appId === appId);
    const own: AgentStatus = {
      appId,
      botUserId: caller.userId,
      status: says.status,
      expiresAt: says.status === 'processing' ? this.clock.nowMicros() + PROCESSING_SECONDS * 1e6 : null,
      isStoppable: await this.isStoppable(tx, place.workspaceId, appId),
      username: changed(says.username, before?.username),
      iconEmoji: changed(says.iconEmoji, before?.iconEmoji),
      iconUrl: changed(says.iconUrl, before?.iconUrl),
    };
    const others = known?.statuses ?? [];
    const statuses = before ? others.map((one) => (one === before ? own : one)) : [...others, own];
    const session = {
      ...key,
      workspaceId: place.workspaceId,
      title: known ? known.title : (says.title ?? null),
      statuses,
      expiresAt: endOf(statuses),
    };
    if (known) await tx.sql.update(AgentSession, key, { statuses, expiresAt: session.expiresAt });
    else await tx.sql.insert(AgentSession, session);
    await this.show(tx, place, session);
    return session;
  }

  /** Gives a session a title. Returns the one before. */
  async rename(tx: Tx, place: EventPlace, session: AgentSession, title: string): Promise<string | null> {
    const { conversationId, threadTs, title: before } = session;
    await tx.sql.update(AgentSession, { conversationId, threadTs }, { title });
    await this.show(tx, place, { ...session, title });
    return before;
  }

  /** The sessions that a person sees. */
  ofUser(
    workspaceId: string,
    userId: string,
  ): Promise<Pick<AgentSession, 'conversationId' | 'threadTs' | 'title' | 'statuses'>[]> {
    return this.db.read<AgentSession & Record<string, unknown>>(SESSIONS_OF_USER, [workspaceId, userId]);
  }

  /** The thread's first message shows the session, and its change is told. */
  private async show(tx: Tx, place: EventPlace, session: AgentSession): Promise<void> {
    const message = await this.messages.forUpdate(tx, place.conversation, session.threadTs);
    await this.revisions.rewire(tx, place, message, { wire: withSession(message.wire, session) });
  }

  private async expireOverdue(): Promise<void> {
    type Row = Record<string, unknown> & { conversationId: string; threadTs: number; flags: string | null };
    for (const { flags, ...key } of await this.db.read<Row>(OVERDUE_SESSIONS, [this.clock.wallOffsetMicros])) {
      const thing = `session ${key.conversationId} ${key.threadTs}`;
      await this.clock.doing(this.sandboxes.read(flags), thing, () => this.db.write((tx) => this.expire(tx, key)));
    }
  }

  private async nextEnd(tenantId: number): Promise<number | null> {
    const [row] = await this.db.read<{ at: number | null }>(NEXT_SESSION_END, [tenantId]);
    return row?.at ?? null;
  }

  /** An agent that works for too long is active again; nobody is told. */
  private async expire(tx: Tx, key: { conversationId: string; threadTs: number }): Promise<void> {
    const message = await this.messages.forUpdate(tx, { id: key.conversationId }, key.threadTs);
    const session = await this.find(tx, key.conversationId, key.threadTs);
    if (!session) return;
    const now = this.clock.nowMicros();
    const statuses = session.statuses.map((one): AgentStatus =>
      one.expiresAt !== null && one.expiresAt <= now ? { ...one, status: 'active', expiresAt: null } : one,
    );
    const expiresAt = endOf(statuses);
    await tx.sql.update(AgentSession, key, { statuses, expiresAt });
    const wire = withSession(message.wire, { ...session, statuses, expiresAt });
    await rewriteMessage(tx, message, { ...message, wire });
  }
}

const changed = (said: string | null | undefined, before: string | undefined): string | undefined =>
  said === undefined ? before : (said ?? undefined);

function endOf(statuses: readonly AgentStatus[]): number | null {
  const ends = statuses.flatMap(({ expiresAt }) => expiresAt ?? []);
  return ends.length === 0 ? null : Math.min(...ends);
}

/** The status of a session: the first of these that any of its agents has. */
export const statusOf = ({ statuses }: Pick<AgentSession, 'statuses'>): SessionStatus =>
  SESSION_STATUSES.find((status) => statuses.some((one) => one.status === status)) ?? 'active';

const seconds = (micros: number): number => Math.floor(micros / 1e6);

/** A message's wire text with the session of its thread. */
function withSession(wire: string, session: AgentSession): string {
  const { title, statuses, expiresAt } = session;
  return JSON.stringify({
    ...(JSON.parse(wire) as object),
    agent_session: {
      status: statusOf(session),
      agent_bot_user_ids: statuses.map(({ botUserId }) => botUserId),
      title: title ?? undefined,
      date_status_processing_expire: expiresAt === null ? undefined : seconds(expiresAt),
      agent_statuses: statuses.map((one) => ({
        agent_bot_user_id: one.botUserId,
        status: one.status,
        date_status_processing_expire: one.expiresAt === null ? undefined : seconds(one.expiresAt),
        is_stoppable: one.isStoppable,
      })),
    },
  });
}
