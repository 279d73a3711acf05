import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { holdsScope } from '../access/identity.js';
import { UsersAccess } from '../access/users-access.js';
import { AgentSessions, statusOf } from '../chat/agent-sessions.js';
import { eventPlaceOf } from '../events/define-chat-event.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { MessagingError } from '../wire/codes.js';
import type { AgentsSessionsRenameArgs, AgentsSessionsSetStatusArgs } from './agents.dto.js';

/** agents.sessions.setStatus, agents.sessions.rename (docs/reference/chat.md#agent-sessions). */
@Injectable()
export class Agents {
  constructor(
    private readonly db: Db,
    private readonly conversations: ConversationAccess,
    private readonly users: UsersAccess,
    private readonly sessions: AgentSessions,
  ) {}

  async setStatus(caller: Caller, args: AgentsSessionsSetStatusArgs): Promise<Answer> {
    return this.db.write(async (tx) => {
      const conversation = await this.conversations.forUpdate(tx, caller, args.channel_id);
      await this.sessions.requireAgent(tx, caller, conversation.id);
      if (args.thread_ts === undefined) throw new MessagingError('thread_ts_required');
      const threadTs = await this.sessions.threadOf(tx, conversation.id, args.thread_ts);
      const { initiator_user_id: initiator } = args;
      if (initiator !== undefined && !(await this.users.facts(caller, [initiator], tx)).has(initiator)) {
        throw new MessagingError('user_not_found');
      }
      const session = await this.sessions.setStatus(tx, eventPlaceOf(caller, conversation), caller, threadTs, {
        status: args.status,
        title: args.title,
        ...disguiseOf(caller, args),
      });
      const own = session.statuses.find(({ appId }) => appId === caller.app?.id);
      return {
        status: statusOf(session),
        agent_status: args.status,
        ...(session.title !== null && { title: session.title }),
        ...(!own?.isStoppable && { warning: 'missing_agent_session_stopped_event_subscription' }),
      };
    });
  }

  async rename(
    caller: Caller,
    { channel_id: channel, thread_ts: ts, title }: AgentsSessionsRenameArgs,
  ): Promise<Answer> {
    await this.db.write(async (tx) => {
      const conversation = await this.conversations.forUpdate(tx, caller, channel);
      if (ts === undefined) throw new MessagingError('thread_ts_required');
      const session = await this.sessions.find(tx, conversation.id, ts);
      if (!session) throw new MessagingError('session_not_found');
      if (!session.statuses.some(({ appId }) => appId === caller.app?.id)) throw new MessagingError('not_authorized');
      await this.sessions.rename(tx, eventPlaceOf(caller, conversation), session, title);
    });
    return { title };
  }
}

/** Name and icons, as far as the caller may choose them. */
function disguiseOf(caller: Caller, args: AgentsSessionsSetStatusArgs): object {
  if (!holdsScope(caller, 'chat:write.customize')) return {};
  const valueOf = (name: 'username' | 'icon_emoji' | 'icon_url'): string | null | undefined =>
    args.cleared.includes(name) ? null : args[name];
  return { username: valueOf('username'), iconEmoji: valueOf('icon_emoji'), iconUrl: valueOf('icon_url') };
}
