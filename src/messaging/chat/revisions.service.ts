import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { messageChanged, messageDeleted, eventPlaceOf, type EventPlace } from '../events/chat-events.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { authorIds, isAdmin } from '../access/identity.js';
import { MessageAccess } from '../access/message-access.js';
import { MessageLog } from '../messages/message-log.js';
import { AppMessageEvents } from '../messages/app-message-events.js';
import { TOMBSTONE, type Message } from '../store/message.entity.js';
import { unpin } from '../messages/pinned-messages.js';
import { formatTs } from '../store/message-ts.js';
import {
  isStreaming,
  rewriteWire,
  tombstoneWire,
  TOMBSTONE_TEXT,
  TOMBSTONE_USER,
  type ContentChange,
  withMetadata,
} from '../wire/message-wire.js';
import { isBlank } from '../wire/text.js';
import { WireText } from '../rpc/wire-text.js';
import type { ChatDeleteArgs, ChatUpdateArgs } from './chat.dto.js';
import { storedText } from './chat.service.js';
import { isOwn, isSystemMessage } from './authorship.js';
import { NameLinks } from './name-links.js';
import { makeTombstone, deleteMessage, rewriteMessage, uncountReply } from './revisions.queries.js';

/** New content of a message; absent parts are kept, except blocks next to a new text. */
export interface Revision extends ContentChange {
  /** Null removes it. */
  readonly metadata?: object | null | undefined;
  /** True turns a reply into a broadcast. */
  readonly broadcast?: boolean | undefined;
}

/** A message after its revision. */
export interface Revised {
  readonly text: string;
  readonly message: WireText;
}

/** Edits and deletes messages: under the conversation's lock, as the notices take their ts from its counter, then the message's. */
@Injectable()
export class Revisions {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly conversations: ConversationAccess,
    private readonly messages: MessageAccess,
    private readonly log: MessageLog,
    private readonly appEvents: AppMessageEvents,
    private readonly names: NameLinks,
  ) {}

  async update(caller: Caller, args: ChatUpdateArgs): Promise<Revised> {
    const text =
      args.text === undefined ? undefined : await this.names.linked(caller, storedText(args), args.links.names);
    const sent = args.metadata ? JSON.stringify(args.metadata) : null;
    return this.db.write(async (tx) => {
      const conversation = await this.conversations.forUpdate(tx, caller, args.channel);
      if (conversation.isArchived) throw new MessagingError('is_inactive');
      const message = await this.messages.forUpdate(tx, conversation, args.ts);
      if (isSystemMessage(message) || !isOwn(caller, message)) throw new MessagingError('cant_update_message');
      if (isStreaming(message.wire)) throw new MessagingError('streaming_state_conflict');
      if (args.reply_broadcast && message.threadTs === null) throw new MessagingError('cant_broadcast_message');
      const stored = await this.rewrite(tx, eventPlaceOf(caller, conversation), message, {
        ...args,
        text,
        broadcast: args.reply_broadcast,
      });
      const wire = await this.log.seen(tx, conversation.id, message.ts, authorIds(caller));
      return { text: stored, message: new WireText(withMetadata(wire, sent)) };
    });
  }

  async delete(caller: Caller, args: ChatDeleteArgs): Promise<void> {
    await this.db.write(async (tx) => {
      const conversation = await this.conversations.forUpdate(tx, caller, args.channel);
      const message = await this.messages.forUpdate(tx, conversation, args.ts);
      if (message.subtype === TOMBSTONE) throw new MessagingError('message_not_found');
      const allowed = isOwn(caller, message) || (caller.kind !== 'bot' && isAdmin(caller));
      if (isSystemMessage(message) || isStreaming(message.wire) || !allowed)
        throw new MessagingError('cant_delete_message');
      await this.remove(tx, eventPlaceOf(caller, conversation), message);
    });
  }

  /**
   * Gives a message new content and records the event. The caller has locked conversation and message and checked the
   * permission. Returns the resulting text.
   * @throws MessagingError no_text when nothing would be left
   */
  async rewrite(tx: Tx, place: EventPlace, message: Message, revision: Revision): Promise<string> {
    const next = rewriteWire(message.wire, revision, {
      edited: { user: message.botId ?? message.userId ?? '', ts: formatTs(this.clock.nowSeconds() * 1e6) },
      subtype: revision.broadcast ? 'thread_broadcast' : undefined,
    });
    if (isBlank(next.text) && !next.hasMore) throw new MessagingError('no_text');
    const { metadata } = revision;
    const previous = await this.log.wireForEvents(tx, message.conversationId, message.ts);
    await rewriteMessage(tx, message, {
      text: next.text,
      wire: next.wire,
      metadata: metadata === undefined ? message.metadata : metadata === null ? null : JSON.stringify(metadata),
      subtype: revision.broadcast ? 'thread_broadcast' : message.subtype,
      isBroadcast: revision.broadcast ? true : message.isBroadcast,
    });
    await this.recordChanged(tx, place, message, previous);
    await this.appEvents.recordChanged(tx, place, next.wire, previous);
    return next.text;
  }

  /**
   * Gives a message new wire text or metadata (attachments, files, work objects), which is not an edit by its author, and
   * records the event. The caller has locked conversation and message.
   */
  async rewire(
    tx: Tx,
    place: EventPlace,
    message: Message,
    next: Partial<Pick<Message, 'wire' | 'metadata'>>,
  ): Promise<void> {
    const previous = await this.log.wireForEvents(tx, message.conversationId, message.ts);
    await rewriteMessage(tx, message, { ...message, ...next });
    await this.recordChanged(tx, place, message, previous);
  }

  /**
   * Deletes a message and records the event; one with replies leaves a tombstone. The caller has locked conversation
   * and message and checked the permission.
   */
  async remove(tx: Tx, place: EventPlace, message: Message): Promise<void> {
    const previous = await this.log.wireForEvents(tx, message.conversationId, message.ts);
    if (message.pinned !== null) await unpin(tx, message);
    if (message.replyCount > 0) {
      const wire = tombstoneWire(place.workspaceId, formatTs(message.ts));
      await makeTombstone(tx, message, { text: TOMBSTONE_TEXT, wire, user: TOMBSTONE_USER });
      return this.recordChanged(tx, place, message, previous);
    }
    await deleteMessage(tx, message);
    if (message.threadTs !== null) await uncountReply(tx, message, message.threadTs);
    const ts = formatTs(await this.log.nextTs(tx, message.conversationId));
    tx.record(messageDeleted({ ...place, ts, deletedTs: formatTs(message.ts), previous }));
  }

  private async recordChanged(tx: Tx, place: EventPlace, message: Message, previous: string): Promise<void> {
    const ts = formatTs(await this.log.nextTs(tx, message.conversationId));
    tx.record(
      messageChanged({
        ...place,
        ts,
        previous,
        message: await this.log.wireForEvents(tx, message.conversationId, message.ts),
      }),
    );
  }
}
