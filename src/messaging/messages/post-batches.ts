import { Injectable } from '@nestjs/common';
import { BatchedWrites, type BatchedRow } from '../../kernel/events/batched-writes.js';
import { messagePosted, type EventPlace } from '../events/chat-events.js';
import { BLANK } from '../wire/blanks.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import type { Draft } from './draft.js';
import { closeWire, withMetadata } from '../wire/message-wire.js';
import { POST_BATCH } from './post-batches.queries.js';
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
  async post({ memberId, draft, ...place }: Post): Promise<string> {
    const { conversation, tenantId } = place;
    const wire = closeWire(draft.open, BLANK.ts);
    const { data } = messagePosted({ ...place, wire: withMetadata(wire, draft.metadata), ts: BLANK.ts });
    const { outcome, ts } = await this.send<PostRow>(tenantId, {
      conversation_id: conversation.id,
      member_id: memberId,
      user_id: draft.userId,
      bot_id: draft.botId,
      subtype: draft.subtype,
      text: draft.text,
      wire,
      metadata: draft.metadata,
      data,
    });
    if (outcome === 'own_transaction') return outcome;
    if (ts === null) throw new MessagingError(outcome as ErrorCode);
    return formatTs(ts);
  }
}
