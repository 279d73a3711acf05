import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { LoggedEvent } from '../../kernel/events/logged-event.entity.js';
import type { Identity } from '../access/identity.js';
import { hearingRuleOf, scopeFor } from '../events/define-chat-event.js';
import { IDENTITIES_OF_EVENT } from '../events/event-authorizations.queries.js';
import { EventContexts } from '../events/event-contexts.js';
import { encodeCursor, pageEnd } from '../rpc/cursor.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { Conversation } from '../store/conversation.entity.js';
import { MessagingError } from '../wire/codes.js';
import type { AppsEventAuthorizationsListArgs } from './event-authorizations.dto.js';

/** How long a context lives, in real time. */
const CONTEXT_MS = 3_600_000;

const CONVERSATION_ROOM = /^conversation:(\w+)$/;

/** All that an event is visible to of an app, where the envelope names one (docs/reference/events.md#authorizations). */
@Injectable()
export class EventAuthorizations {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly contexts: EventContexts,
  ) {}

  /** @throws MessagingError invalid_event_context, auth_mismatch */
  async list(caller: Identity, args: AppsEventAuthorizationsListArgs): Promise<Answer> {
    const context = this.contexts.read(args.event_context);
    const rule = context && hearingRuleOf(context.kind);
    if (!context || !rule) throw new MessagingError('invalid_event_context');
    if (context.appId !== caller.app?.id) throw new MessagingError('auth_mismatch');
    const { workspaceId, appId, userId, eventId } = context;
    const event = await this.db.load((entities) => entities.findOneBy(LoggedEvent, { id: eventId }));
    if (!event || event.recordedAt.getTime() <= this.clock.wallMs() - CONTEXT_MS)
      throw new MessagingError('invalid_event_context');
    const id = CONVERSATION_ROOM.exec(event.room)?.[1];
    const conversation =
      id === undefined ? null : await this.db.load((entities) => entities.findOneBy(Conversation, { workspaceId, id }));
    const scope = scopeFor(rule, conversation?.type);
    // a conversation that is gone has no scope: who made the event visible is left
    const isKnown = scope !== undefined;
    const isForAll = isKnown && (rule.audience === 'everyone' || rule.audience === 'app');
    const inConversation = isKnown && rule.audience === 'members' ? (conversation?.id ?? null) : null;
    const rows = await this.db.read<{ userId: string; isBot: boolean }>(IDENTITIES_OF_EVENT, [
      workspaceId,
      appId,
      scope ?? null,
      inConversation,
      userId,
      args.cursor ?? null,
      args.limit + 1,
      isForAll,
    ]);
    return {
      authorizations: rows.slice(0, args.limit).map((row) => ({
        enterprise_id: null,
        team_id: workspaceId,
        user_id: row.userId,
        is_bot: row.isBot,
        is_enterprise_install: false,
      })),
      ...pageEnd(nextOf(rows[args.limit]?.userId)),
    };
  }
}

const nextOf = (userId: string | undefined): string =>
  userId === undefined ? '' : encodeCursor('event_authorization', userId);
