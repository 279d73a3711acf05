import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { BatchedWrites, type BatchedRow } from '../../kernel/events/batched-writes.js';
import { eventPlaceOf } from '../events/chat-events.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { formatTs } from '../store/message-ts.js';
import { BLANK } from '../wire/blanks.js';
import type { ReactionsAddArgs, ReactionsRemoveArgs } from './reactions.dto.js';
import { reactionAdded, reactionRemoved, type ReactionChange } from './reactions.events.js';
import { ADD_REACTIONS, REMOVE_REACTIONS } from './reactions.queries.js';

/** A reaction before the statement has read its message. */
type Reacting = Omit<ReactionChange, 'authorId'>;

/** Channels are checked beforehand: a reaction concurrent with the archiving of its channel may still be stored. */
@Injectable()
export class ReactionsService {
  private readonly adding;
  private readonly removing;

  constructor(
    writes: BatchedWrites,
    private readonly clock: Clock,
    private readonly conversations: ConversationAccess,
  ) {
    const together = (row: { conversation_id: unknown }): string => String(row.conversation_id);
    this.adding = writes.verb(ADD_REACTIONS, { name: 'reactions.add', together });
    this.removing = writes.verb(REMOVE_REACTIONS, { name: 'reactions.remove', together });
  }

  async add(caller: Caller, args: ReactionsAddArgs): Promise<void> {
    const change = await this.change(caller, args);
    requireDone(await this.adding(caller.tenantId, rowOf(change, args, reactionAdded)));
  }

  async remove(caller: Caller, args: ReactionsRemoveArgs): Promise<void> {
    const change = await this.change(caller, args);
    requireDone(await this.removing(caller.tenantId, rowOf(change, args, reactionRemoved)));
  }

  private async change(caller: Caller, args: ReactionsAddArgs): Promise<Reacting> {
    const conversation = await this.conversations.visible(caller, args.channel);
    if (conversation.isArchived) throw new MessagingError('is_archived');
    if (!conversation.isMember) throw new MessagingError('not_in_channel');
    return {
      ...eventPlaceOf(caller, conversation),
      ts: formatTs(args.timestamp),
      userId: caller.userId,
      name: args.name,
      eventTs: formatTs(this.clock.nowMicros()),
    };
  }
}

const rowOf = (change: Reacting, args: ReactionsAddArgs, event: typeof reactionAdded) => ({
  conversation_id: change.conversation.id,
  ts: args.timestamp,
  user_id: change.userId,
  name: change.name,
  type: change.conversation.type,
  data: event({ ...change, authorId: BLANK.author }).data,
  authorless: event({ ...change, authorId: null }).data,
});

function requireDone({ outcome }: BatchedRow): void {
  if (outcome !== 'done') throw new MessagingError(outcome as ErrorCode);
}
