import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { BatchedWrites } from '../../kernel/events/batched-writes.js';
import type { Caller } from '../access/conversation-access.js';
import type { VisibleConversation } from '../access/identity.js';
import { eventPlaceOf, memberJoined, memberLeft, type EventPlace } from '../events/chat-events.js';
import { channelLeft, groupLeft } from '../events/conversation-events.js';
import { formatTs } from '../store/message-ts.js';
import { joinMessage, leaveMessage } from '../store/system-messages.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { INVITE_BATCH, JOIN_BATCH, KICK_BATCH, LEAVE_BATCH } from './membership-batches.queries.js';

/** Members who join and leave: the member's row, the events, the system message; concurrent ones share a statement. */
@Injectable()
export class MembershipBatches {
  private readonly joining;
  private readonly inviting;
  private readonly leaving;
  private readonly kicking;

  constructor(
    writes: BatchedWrites,
    private readonly clock: Clock,
  ) {
    const together = (row: { conversation_id: unknown }): string => String(row.conversation_id);
    this.joining = writes.verb(JOIN_BATCH, { name: 'conversations.join', together });
    this.inviting = writes.verb(INVITE_BATCH, { name: 'conversations.invite', together });
    this.leaving = writes.verb(LEAVE_BATCH, { name: 'conversations.leave', together });
    this.kicking = writes.verb(KICK_BATCH, { name: 'conversations.kick', together });
  }

  /**
   * False for an existing member.
   * @throws MessagingError channel_not_found, is_archived
   */
  async join(caller: Caller, conversation: VisibleConversation): Promise<boolean> {
    if (conversation.isArchived) throw new MessagingError('is_archived');
    const now = this.clock.nowMicros();
    const { outcome } = await this.joining(caller.tenantId, {
      conversation_id: conversation.id,
      ...arrival(eventPlaceOf(caller, conversation), caller.userId, { at: now }),
      joined_at: now,
    });
    if (outcome !== 'done' && outcome !== 'already_in_channel') throw new MessagingError(outcome as ErrorCode);
    return outcome === 'done';
  }

  /**
   * The caller adds others who are not members yet: `changed` when one of them is, and nothing was done.
   * @throws MessagingError channel_not_found, is_archived, not_in_channel
   */
  async invite(
    caller: Caller,
    conversation: VisibleConversation,
    userIds: readonly string[],
  ): Promise<'done' | 'changed'> {
    const place = eventPlaceOf(caller, conversation);
    const at = this.clock.nowMicros();
    const people = userIds.map((userId) => arrival(place, userId, { at, inviterId: caller.userId }));
    const { outcome } = await this.inviting(caller.tenantId, {
      conversation_id: conversation.id,
      user_id: caller.userId,
      people: JSON.stringify(people),
      joined_at: at,
    });
    if (outcome === 'done' || outcome === 'changed') return outcome;
    throw new MessagingError(outcome as ErrorCode);
  }

  /** @throws MessagingError channel_not_found, not_in_channel, is_archived, last_member */
  async leave(caller: Caller, conversation: VisibleConversation): Promise<void> {
    if (!conversation.isMember) throw refusal('not_in_channel');
    if (conversation.isArchived) throw refusal('is_archived');
    const { outcome } = await this.leaving(caller.tenantId, this.departure(caller, conversation, caller.userId));
    if (outcome !== 'done') throw refusal(outcome as ErrorCode);
  }

  /**
   * The caller removes another member.
   * @throws MessagingError channel_not_found, is_archived, not_in_channel
   */
  async kick(caller: Caller, conversation: VisibleConversation, userId: string): Promise<void> {
    const row = { ...this.departure(caller, conversation, userId), actor_id: caller.userId };
    const { outcome } = await this.kicking(caller.tenantId, row);
    if (outcome !== 'done') throw new MessagingError(outcome as ErrorCode);
  }

  private departure(caller: Caller, conversation: VisibleConversation, userId: string) {
    const place = eventPlaceOf(caller, conversation);
    const eventTs = formatTs(this.clock.nowMicros());
    const message = leaveMessage(place, userId, userId !== caller.userId);
    const left = conversation.type === 'public' ? channelLeft : groupLeft;
    const event = left({ ...place, userId, actorId: caller.userId, eventTs });
    return {
      conversation_id: conversation.id,
      user_id: userId,
      text: message.text,
      open: message.open,
      data: memberLeft({ ...place, userId, eventTs }).data,
      left_kind: event.kind,
      left_data: event.data,
    };
  }
}

/**
 * Who joins, and the payload of the events.
 * @param how.at when, in microseconds
 */
function arrival(place: EventPlace, userId: string, { at, inviterId }: { at: number; inviterId?: string }) {
  const message = joinMessage(place, userId, inviterId);
  const { data } = memberJoined({ ...place, userId, inviterId, eventTs: formatTs(at) });
  return { user_id: userId, text: message.text, open: message.open, data };
}

/** The reference service sends the flag without an error. */
const refusal = (code: ErrorCode): MessagingError =>
  new MessagingError(code, code === 'not_in_channel' ? { extra: { not_in_channel: true } } : {});
