import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { BatchedWrites, type BatchedRow } from '../../kernel/events/batched-writes.js';
import { messagePosted, type EventPlace } from '../events/chat-events.js';
import { BLANK } from '../wire/blanks.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { AppMessageEvents } from './app-message-events.js';
import type { Draft } from './draft.js';
import { MessageLog } from './message-log.js';
import { closeWire, withMetadata } from '../wire/message-wire.js';
import { POST_BATCH } from './posts.queries.js';
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

/** Top-level posts. One statement judges and stores them, for all that come together and for one in a transaction. */
@Injectable()
export class Posts {
  private readonly send;

  constructor(
    private readonly db: Db,
    writes: BatchedWrites,
    private readonly log: MessageLog,
    private readonly appEvents: AppMessageEvents,
  ) {
    const together = (row: { conversation_id: unknown }): string => String(row.conversation_id);
    this.send = writes.verb(POST_BATCH, { name: 'chat.post', together });
  }

  /**
   * Stores a post and answers its ts, in microseconds.
   * @throws MessagingError channel_not_found, is_archived, not_in_channel: as of the moment of the post
   */
  async post(post: Post): Promise<number> {
    const { draft, tenantId } = post;
    if (!(await this.appEvents.mayConcern(post, draft))) {
      const wire = withMetadata(closeWire(draft.open, BLANK.ts), draft.metadata);
      const { data } = messagePosted({ ...post, wire, ts: BLANK.ts });
      const { outcome, ts } = await this.send<PostRow>(tenantId, { ...rowOf(post), data });
      if (ts !== null) return ts;
      if (outcome !== 'own_transaction') throw new MessagingError(outcome as ErrorCode);
    }
    return this.db.write((tx) => this.postIn(tx, post));
  }

  /**
   * The same inside a transaction, where a post can have further events: for an app that it concerns, for who had closed
   * the conversation.
   */
  async postIn(tx: Tx, post: Post): Promise<number> {
    const { draft, tenantId } = post;
    const row = { ...rowOf(post), data: null };
    const { outcome, ts: micros } = await this.send.within<PostRow>(tx, tenantId, row);
    if (micros === null) throw new MessagingError(outcome as ErrorCode);
    const ts = formatTs(micros);
    const wire = closeWire(draft.open, ts);
    await this.log.reopen(tx, post, micros);
    tx.record(messagePosted({ ...post, wire: withMetadata(wire, draft.metadata), ts }));
    if (!draft.isUnfinished) await this.appEvents.recordPosted(tx, post, wire, draft.hidesLinks);
    return micros;
  }
}

const rowOf = ({ conversation, memberId, draft }: Post) => ({
  conversation_id: conversation.id,
  member_id: memberId,
  user_id: draft.userId,
  bot_id: draft.botId,
  subtype: draft.subtype,
  text: draft.text,
  wire: closeWire(draft.open, BLANK.ts),
  metadata: draft.metadata,
});
