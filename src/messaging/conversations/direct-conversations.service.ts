import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { groupClosed, groupOpened, imClosed, imOpened } from '../events/conversation-events.js';
import { eventPlaceOf } from '../events/define-chat-event.js';
import { formatTs } from '../store/message-ts.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess, requireScopeForType, type Caller } from '../access/conversation-access.js';
import { DirectMessages } from '../members/direct-messages.js';
import type { VisibleConversation } from '../access/identity.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { ConversationView } from './conversation-view.js';
import { MAX_OTHERS, type ConversationsCloseArgs, type ConversationsOpenArgs } from './conversations.dto.js';
import { CLOSE, REOPEN } from './conversations.queries.js';

/** Direct messages and group messages by their members: conversations.open. */
@Injectable()
export class DirectConversations {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly conversations: ConversationAccess,
    private readonly directMessages: DirectMessages,
    private readonly view: ConversationView,
  ) {}

  async open(caller: Caller, args: ConversationsOpenArgs): Promise<Answer> {
    const found =
      args.channel === undefined
        ? await this.openFor(caller, args.users ?? [], args.prevent_creation)
        : { conversation: await this.conversations.visible(caller, args.channel), existed: true };
    const { existed } = found;
    const conversation = existed ? await this.reopened(caller, found.conversation) : found.conversation;
    return {
      ...(existed ? { no_op: true, already_open: true } : {}),
      channel: args.return_im ? await this.view.info(caller, conversation) : { id: conversation.id },
    };
  }

  /** Closed for the caller only, until a new message or until the caller opens it again. */
  async close(caller: Caller, args: ConversationsCloseArgs): Promise<Answer> {
    const wasOpen = await this.db.write(async (tx) => {
      const conversation = await this.conversations.forUpdate(tx, caller, args.channel);
      const values = [conversation.id, caller.userId, conversation.lastTs];
      if ((await tx.query(CLOSE, values)).length === 0) return false;
      tx.record((conversation.type === 'im' ? imClosed : groupClosed)(this.change(caller, conversation)));
      return true;
    });
    return wasOpen ? {} : { no_op: true, already_closed: true };
  }

  private async reopened(caller: Caller, conversation: VisibleConversation): Promise<VisibleConversation> {
    if (!conversation.isClosed) return conversation;
    await this.db.write(async (tx) => {
      const [row] = await tx.query<{ closed: boolean }>(REOPEN, [conversation.id, caller.userId]);
      if (!row?.closed) return;
      tx.record((conversation.type === 'im' ? imOpened : groupOpened)(this.change(caller, conversation)));
    });
    return { ...conversation, isClosed: false };
  }

  private change(caller: Caller, conversation: VisibleConversation) {
    return {
      ...eventPlaceOf(caller, conversation),
      userId: caller.userId,
      eventTs: formatTs(this.clock.nowMicros()),
    };
  }

  /** The members key is unique: opening for the same users gives the same conversation, even concurrently. */
  private async openFor(
    caller: Caller,
    userIds: readonly string[],
    onlyLookUp: boolean,
  ): Promise<{ conversation: VisibleConversation; existed: boolean }> {
    const others = userIds.filter((userId) => userId !== caller.userId);
    if (others.length > MAX_OTHERS) throw new MessagingError('too_many_users');
    requireScopeForType(caller, { type: others.length > 1 ? 'mpim' : 'im' });
    const { conversation, isNew } = await this.directMessages.open(caller, others, { onlyLookUp });
    return { conversation, existed: !isNew };
  }
}
