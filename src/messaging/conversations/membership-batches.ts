import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { BatchedWrites } from '../../kernel/events/batched-writes.js';
import { Identities } from '../access/identities.js';
import type { Caller } from '../access/conversation-access.js';
import type { VisibleConversation } from '../access/identity.js';
import { eventPlaceOf, memberJoined, memberLeft } from '../events/chat-events.js';
import { channelLeft, groupLeft } from '../events/conversation-events.js';
import { formatTs } from '../store/message-ts.js';
import { joinMessage, leaveMessage } from '../store/system-messages.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { JOIN_BATCH, LEAVE_BATCH } from './membership-batches.queries.js';

/** Members who come and go by themselves: the member's row, the events, the system message; concurrent ones share a statement. */
@Injectable()
export class MembershipBatches {
  private readonly joining;
  private readonly leaving;

  constructor(
    writes: BatchedWrites,
    private readonly clock: Clock,
    private readonly identities: Identities,
  ) {
    const together = (row: { conversation_id: unknown }): string => String(row.conversation_id);
    this.joining = writes.verb(JOIN_BATCH, { name: 'conversations.join', together, takes: 'window' });
    this.leaving = writes.verb(LEAVE_BATCH, { name: 'conversations.leave', together, takes: 'window' });
  }

  /** False for a member of before. @throws MessagingError channel_not_found, is_archived */
  async join(caller: Caller, conversation: VisibleConversation): Promise<boolean> {
    if (conversation.isArchived) throw new MessagingError('is_archived');
    const place = eventPlaceOf(caller, conversation);
    const { userId } = caller;
    const now = this.clock.nowMicros();
    const message = joinMessage(place, userId);
    const { outcome } = await this.joining(caller.tenantId, {
      conversation_id: conversation.id,
      user_id: userId,
      text: message.text,
      open: message.open,
      data: memberJoined({ ...place, userId, eventTs: formatTs(now) }).data,
      joined_at: now,
    });
    if (outcome !== 'done' && outcome !== 'already_in_channel') throw new MessagingError(outcome as ErrorCode);
    if (outcome === 'done') this.identities.forgetPart();
    return outcome === 'done';
  }

  /** @throws MessagingError channel_not_found, not_in_channel, is_archived, last_member */
  async leave(caller: Caller, conversation: VisibleConversation): Promise<void> {
    if (!conversation.isMember) throw refusal('not_in_channel');
    if (conversation.isArchived) throw refusal('is_archived');
    const place = eventPlaceOf(caller, conversation);
    const { userId } = caller;
    const eventTs = formatTs(this.clock.nowMicros());
    const message = leaveMessage(place, userId, false);
    const left = conversation.type === 'public' ? channelLeft : groupLeft;
    const event = left({ ...place, userId, actorId: userId, eventTs });
    const { outcome } = await this.leaving(caller.tenantId, {
      conversation_id: conversation.id,
      user_id: userId,
      text: message.text,
      open: message.open,
      data: memberLeft({ ...place, userId, eventTs }).data,
      left_kind: event.kind,
      left_data: event.data,
    });
    if (outcome !== 'done') throw refusal(outcome as ErrorCode);
    this.identities.forgetPart();
  }
}

/** The reference service sends the flag without an error. */
const refusal = (code: ErrorCode): MessagingError =>
  new MessagingError(code, code === 'not_in_channel' ? { extra: { not_in_channel: true } } : {});
