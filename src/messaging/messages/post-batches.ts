import { Injectable } from '@nestjs/common';
import { BatchedWrites, type BatchedRow } from '../../kernel/events/batched-writes.js';
import type { EventPlace } from '../events/chat-events.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import type { Draft } from './draft.js';
import { POST_BATCH } from './message-log.queries.js';
import { formatTs } from '../store/message-ts.js';

export interface Post extends EventPlace {
  readonly draft: Draft;
  /** Who must be a member; null = nobody (chat:write.public, webhooks). */
  readonly memberId: string | null;
}

interface PostRow extends BatchedRow {
  /** Null unless done. */
  ts: number | null;
}

/** Top-level posts that concern nobody beside their conversation: those of a tenant that come together share one statement. */
@Injectable()
export class PostBatches {
  private readonly send;

  constructor(writes: BatchedWrites) {
    const together = (row: { conversation_id: unknown }): string => String(row.conversation_id);
    this.send = writes.verb(POST_BATCH, { name: 'chat.post', together });
  }

  /** Answers the ts, or `own_transaction` for a post that others have to be told of. @throws MessagingError channel_not_found, is_archived, not_in_channel: as of the moment of the post */
  async post({ conversation, memberId, draft, tenantId }: Post): Promise<string> {
    const { outcome, ts } = await this.send<PostRow>(tenantId, {
      conversation_id: conversation.id,
      member_id: memberId,
      user_id: draft.userId,
      bot_id: draft.botId,
      subtype: draft.subtype,
      text: draft.text,
      wire: draft.open,
      metadata: draft.metadata,
    });
    if (outcome === 'own_transaction') return outcome;
    if (ts === null) throw new MessagingError(outcome as ErrorCode);
    return formatTs(ts);
  }
}
