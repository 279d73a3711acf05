import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { ConversationAccess, isMember, type Caller } from '../access/conversation-access.js';
import { UsersAccess } from '../access/users-access.js';
import { eventPlaceOf } from '../events/define-chat-event.js';
import { EphemeralMessages } from '../messages/ephemeral-messages.js';
import { MessageLog } from '../messages/message-log.js';
import { MessagingError } from '../wire/codes.js';
import { authorOf, ChatService } from './chat.service.js';
import type { ChatPostEphemeralArgs } from './ephemeral.dto.js';

/** Shows a message to one member only: chat.postEphemeral. */
@Injectable()
export class EphemeralPosts {
  constructor(
    private readonly db: Db,
    private readonly conversations: ConversationAccess,
    private readonly users: UsersAccess,
    private readonly log: MessageLog,
    private readonly chat: ChatService,
    private readonly ephemeral: EphemeralMessages,
  ) {}

  /** Returns its ts. */
  async post(caller: Caller, args: ChatPostEphemeralArgs): Promise<string> {
    const conversation = await this.conversations.findByIdOrName(caller, args.channel);
    if (!conversation) throw new MessagingError('channel_not_found');
    const memberId = this.chat.requirePostable(caller, conversation);
    const content = await this.chat.content(caller, args);
    const place = eventPlaceOf(caller, conversation);
    return this.db.write(async (tx) => {
      await this.log.hold(tx, conversation.id, memberId);
      await this.requireReader(tx, caller, conversation.id, args.user);
      const thread = args.thread_ts === undefined ? null : await this.log.threadOf(tx, conversation.id, args.thread_ts);
      const { open } = this.chat.draft(
        place,
        { author: authorOf(caller, args, this.chat.baseUrl), content, memberId },
        thread ?? undefined,
      );
      return this.ephemeral.send(tx, place, { userId: args.user, appId: caller.app?.id ?? null, open });
    });
  }

  /** @throws MessagingError user_not_in_channel */
  private async requireReader(tx: Tx, caller: Caller, conversationId: string, userId: string): Promise<void> {
    const user = (await this.users.facts(caller, [userId], tx)).get(userId);
    if (!user || user.isDeleted || !(await isMember(tx, conversationId, userId))) {
      throw new MessagingError('user_not_in_channel');
    }
  }
}
