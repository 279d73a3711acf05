import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { byNumber, coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { BatchedWrites, type BatchedRow } from '../../kernel/events/batched-writes.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { isAdmin } from '../access/identity.js';
import { eventPlaceOf } from '../events/chat-events.js';
import { AppMessageEvents } from '../store/app-message-events.js';
import { formatTs } from '../store/message-ts.js';
import type { Message } from '../store/message.entity.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { rewriteWire, type ContentChange } from '../wire/message-wire.js';
import { isBlank } from '../wire/text.js';
import { isOwn, isSystemMessage } from './authorship.js';
import { DELETE_BATCH, DELETE_CONNECTED_BATCH, REVISED_MESSAGES, UPDATE_BATCH } from './revision-batches.queries.js';

interface StoredMessage
  extends Record<string, unknown>, Pick<Message, 'userId' | 'botId' | 'subtype' | 'isBroadcast' | 'wire'> {
  n: number;
  version: string;
}

interface UpdatedRow extends BatchedRow {
  message: string;
}

interface MessagePlace {
  readonly channel: string;
  readonly ts: number;
}

/** New content; absent metadata is kept, null removes it. */
interface Update extends MessagePlace, ContentChange {
  readonly metadata?: object | null | undefined;
}

/**
 * Updates that concern nothing but their message, and deletes: concurrent ones share a statement. `own_transaction` says
 * that nothing was done, as more is to be changed or told, or as a deleted message's thread changed meanwhile.
 */
@Injectable()
export class RevisionBatches {
  private readonly stored: (key: { conversationId: string; ts: number }) => Promise<StoredMessage | undefined>;
  private readonly updating;
  private readonly deleting;
  private readonly deletingConnected;

  constructor(
    db: Db,
    writes: BatchedWrites,
    private readonly clock: Clock,
    private readonly conversations: ConversationAccess,
    private readonly appEvents: AppMessageEvents,
  ) {
    this.stored = coalesce(
      async (keys) => {
        const values = [keys.map((key) => key.conversationId), keys.map((key) => key.ts)];
        return byNumber(await db.read<StoredMessage>(REVISED_MESSAGES, values), keys.length);
      },
      { name: 'chat.revised' },
    );
    const together = (row: { conversation_id: unknown }): string => String(row.conversation_id);
    this.updating = writes.verb(UPDATE_BATCH, { name: 'chat.update', together });
    this.deleting = writes.verb(DELETE_BATCH, { name: 'chat.delete', together });
    this.deletingConnected = writes.verb(DELETE_CONNECTED_BATCH, { name: 'chat.delete_connected', together });
  }

  /**
   * Returns the resulting text, and the message as its author sees it, without metadata.
   * @throws MessagingError is_inactive, message_not_found, cant_update_message, no_text
   */
  async update(caller: Caller, change: Update): Promise<{ text: string; message: string } | 'own_transaction'> {
    const conversation = await this.conversations.visible(caller, change.channel);
    if (conversation.isArchived) throw new MessagingError('is_inactive');
    for (;;) {
      const message = await this.stored({ conversationId: conversation.id, ts: change.ts });
      if (!message) throw new MessagingError('message_not_found');
      if (isSystemMessage(message) || !isOwn(caller, message)) throw new MessagingError('cant_update_message');
      const next = rewriteWire(message.wire, change, {
        edited: { user: message.botId ?? message.userId ?? '', ts: formatTs(this.clock.nowSeconds() * 1e6) },
      });
      if (isBlank(next.text) && !next.hasMore) throw new MessagingError('no_text');
      const open = next.wire.slice(0, -1);
      if (message.isBroadcast || (await this.appEvents.mayConcern(eventPlaceOf(caller, conversation), { open }))) {
        return 'own_transaction';
      }
      const answer = await this.updating<UpdatedRow>(caller.tenantId, {
        ...rowOf(caller, conversation.id, change.ts),
        version: message.version,
        text: next.text,
        wire: next.wire,
        metadata: change.metadata ? JSON.stringify(change.metadata) : null,
        keeps_metadata: change.metadata === undefined,
      });
      if (answer.outcome === 'done') return { text: next.text, message: answer.message };
      if (answer.outcome !== 'changed') throw new MessagingError(answer.outcome as ErrorCode);
    }
  }

  /** @throws MessagingError message_not_found, cant_delete_message */
  async delete(caller: Caller, at: MessagePlace): Promise<'done' | 'own_transaction'> {
    const conversation = await this.conversations.visible(caller, at.channel);
    const row = {
      ...rowOf(caller, conversation.id, at.ts),
      may_all: caller.kind !== 'bot' && isAdmin(caller),
    };
    let { outcome } = await this.deleting(caller.tenantId, row);
    if (outcome === 'connected') ({ outcome } = await this.deletingConnected(caller.tenantId, row));
    if (outcome === 'done' || outcome === 'own_transaction') return outcome;
    throw new MessagingError(outcome as ErrorCode);
  }
}

const rowOf = (caller: Caller, conversationId: string, ts: number) => ({
  conversation_id: conversationId,
  ts,
  user_id: caller.userId,
  bot_id: caller.kind === 'bot' ? (caller.app?.botId ?? '') : null,
});
