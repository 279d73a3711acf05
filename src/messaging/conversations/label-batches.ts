import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { BatchedWrites, type BatchedRow } from '../../kernel/events/batched-writes.js';
import type { Caller } from '../access/conversation-access.js';
import type { VisibleConversation } from '../access/identity.js';
import { eventPlaceOf } from '../events/chat-events.js';
import type { Conversation } from '../store/conversation.entity.js';
import { labelMessage } from '../store/system-messages.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { LABEL_BATCHES } from './label-batches.queries.js';

type Label = keyof typeof LABEL_BATCHES;

type LabelledRow = BatchedRow & Conversation;

/** Topics and purposes of conversations, with a system message except in an im; concurrent ones share a statement. */
@Injectable()
export class LabelBatches {
  private readonly setting;

  constructor(
    writes: BatchedWrites,
    private readonly clock: Clock,
  ) {
    const together = (row: { conversation_id: unknown }): string => String(row.conversation_id);
    this.setting = {
      topic: writes.verb(LABEL_BATCHES.topic, { name: 'conversations.setTopic', together }),
      purpose: writes.verb(LABEL_BATCHES.purpose, { name: 'conversations.setPurpose', together }),
    };
  }

  /**
   * Returns the resulting conversation.
   * @throws MessagingError channel_not_found, is_archived, not_in_channel
   */
  async set(caller: Caller, conversation: VisibleConversation, label: Label, value: string): Promise<Conversation> {
    const message = labelMessage(eventPlaceOf(caller, conversation), caller.userId, label, value);
    const {
      n: _,
      outcome,
      queued: __,
      ...row
    } = await this.setting[label]<LabelledRow>(caller.tenantId, {
      conversation_id: conversation.id,
      user_id: caller.userId,
      value,
      at: this.clock.nowMicros(),
      text: message.text,
      open: message.open,
    });
    if (outcome !== 'done') throw new MessagingError(outcome as ErrorCode);
    return row;
  }
}
