import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { sceneOf } from '../events/chat-events.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import type { VisibleConversation } from '../access/identity.js';
import { MessageAccess } from '../access/message-access.js';
import { TOMBSTONE, type Message } from '../store/message.entity.js';
import { formatTs } from '../store/message-ts.js';
import type { ReactionsAddArgs, ReactionsRemoveArgs } from './reactions.dto.js';
import { reactionAdded, reactionRemoved } from './reactions.events.js';
import { deleteReaction, insertReaction, rebuildReactions } from './reactions.queries.js';

/** Most distinct names on one message. */
export const MAX_NAMES = 50;
/** Most reactions of one user on one message. */
export const MAX_OWN = 23;

/**
 * Reactions lock their message and not its conversation: a busy channel posts under the conversation's lock, and a
 * popular message would have every post wait for its reactions. So a reaction that overlaps with the archiving of its
 * channel may still be stored; which of the two came first nobody can tell.
 */
@Injectable()
export class ReactionsService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly conversations: ConversationAccess,
    private readonly messages: MessageAccess,
  ) {}

  async add(caller: Caller, args: ReactionsAddArgs): Promise<void> {
    const conversation = await this.reactable(caller, args.channel);
    await this.db.write(async (tx) => {
      const message = await this.lock(tx, conversation, args.timestamp);
      if (!(await insertReaction(tx, message, caller.userId, args.name))) throw new MessagingError('already_reacted');
      const { names, own } = await rebuildReactions(tx, message, caller.userId);
      if (names > MAX_NAMES) throw new MessagingError('too_many_emoji');
      if (own > MAX_OWN) throw new MessagingError('too_many_reactions');
      tx.record(reactionAdded(this.change(caller, conversation, message, args.name)));
    });
  }

  async remove(caller: Caller, args: ReactionsRemoveArgs): Promise<void> {
    const conversation = await this.reactable(caller, args.channel);
    await this.db.write(async (tx) => {
      const message = await this.lock(tx, conversation, args.timestamp);
      if (!(await deleteReaction(tx, message, caller.userId, args.name))) throw new MessagingError('no_reaction');
      await rebuildReactions(tx, message, caller.userId);
      tx.record(reactionRemoved(this.change(caller, conversation, message, args.name)));
    });
  }

  private async reactable(caller: Caller, channel: string): Promise<VisibleConversation> {
    const conversation = await this.conversations.visible(caller, channel);
    if (conversation.isArchived) throw new MessagingError('is_archived');
    if (!conversation.isMember) throw new MessagingError('not_in_channel');
    return conversation;
  }

  /** A tombstone is no message any more: chat.delete says the same of it. */
  private async lock(tx: Tx, conversation: VisibleConversation, ts: number): Promise<Message> {
    const message = await this.messages.forUpdate(tx, conversation, ts);
    if (message.subtype === TOMBSTONE) throw new MessagingError('message_not_found');
    return message;
  }

  private change(caller: Caller, conversation: VisibleConversation, message: Message, name: string) {
    return {
      ...sceneOf(caller, conversation),
      ts: formatTs(message.ts),
      authorId: message.userId ?? undefined,
      userId: caller.userId,
      name,
      eventTs: formatTs(this.clock.nowMicros()),
    };
  }
}
