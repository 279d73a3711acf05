import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { messagePosted, type DomainEvent, type EventPlace } from '../events/chat-events.js';
import { groupOpened, imOpened } from '../events/conversation-events.js';
import { MessagingError } from '../wire/codes.js';
import { isMember } from '../access/conversation-access.js';
import type { Draft } from './draft.js';
import { SYSTEM_SUBTYPES } from '../store/message.entity.js';
import { formatTs } from '../store/message-ts.js';
import {
  HOLD,
  INSERT_MESSAGES,
  LOCK_PARENT,
  MESSAGE_FOR_VIEWER,
  MESSAGE_FOR_EVENTS,
  NEXT_TS,
  REOPEN_ALL,
} from './message-log.queries.js';
import { closeWire, withMetadata } from '../wire/message-wire.js';

/**
 * Messages inside transactions: those of the system are stored here, what people and apps post by `Posts` and `Replies`
 * (docs/reference/chat.md#timestamps, docs/reference/events.md#kinds).
 */
@Injectable()
export class MessageLog {
  constructor(private readonly clock: Clock) {}

  /**
   * Locks a conversation and checks that it takes posts from this member (null = from anybody).
   * @throws MessagingError channel_not_found, is_archived, not_in_channel
   */
  async hold(tx: Tx, conversationId: string, memberId: string | null): Promise<void> {
    const [row] = await tx.query<{ is_archived: boolean }>(HOLD, [conversationId]);
    if (!row) throw new MessagingError('channel_not_found');
    if (row.is_archived) throw new MessagingError('is_archived');
    if (memberId !== null && !(await isMember(tx, conversationId, memberId)))
      throw new MessagingError('not_in_channel');
  }

  /** The next ts of a conversation, whose row stays locked until the commit. Of `count` in a row, the last. */
  async nextTs(tx: Tx, conversationId: string, count = 1): Promise<number> {
    const [row] = await tx.query<{ last_ts: number }>(NEXT_TS, [conversationId, this.clock.offsetMicros, count]);
    if (!row) throw new MessagingError('channel_not_found');
    return row.last_ts;
  }

  /** Stores a message inside a transaction that holds the conversation (system messages). Answers its ts. */
  async append(tx: Tx, place: EventPlace, draft: Draft): Promise<string> {
    const message = await this.next(tx, place, draft);
    await storeAll(tx, place, [{ draft, ...message }]);
    this.recordPosted(tx, place, draft, message);
    return message.ts;
  }

  /** The same without an event: nobody is told of it. */
  async storeQuietly(tx: Tx, place: EventPlace, draft: Draft): Promise<string> {
    const micros = await this.nextTs(tx, place.conversation.id);
    const ts = formatTs(micros);
    await storeAll(tx, place, [{ draft, micros, wire: closeWire(draft.open, ts) }]);
    return ts;
  }

  /** The next message of a conversation, with its ts. */
  private async next(tx: Tx, place: EventPlace, draft: Draft) {
    const micros = await this.nextTs(tx, place.conversation.id);
    await this.reopen(tx, place, micros);
    const ts = formatTs(micros);
    return { ts, micros, wire: closeWire(draft.open, ts) };
  }

  private recordPosted(tx: Tx, place: EventPlace, { metadata }: Draft, { wire, ts }: { wire: string; ts: string }) {
    tx.record(messagePosted({ ...place, wire: withMetadata(wire, metadata), ts }));
  }

  /** The same for many at once, each with the event that is told just before it, in two statements. */
  async appendAll(tx: Tx, place: EventPlace, all: readonly { draft: Draft; before: DomainEvent }[]): Promise<void> {
    if (all.length === 0) return;
    const first = (await this.nextTs(tx, place.conversation.id, all.length)) - all.length + 1;
    const messages = all.map(({ draft, before }, i) => {
      const ts = formatTs(first + i);
      return { draft, before, ts, micros: first + i, wire: closeWire(draft.open, ts) };
    });
    await storeAll(tx, place, messages);
    for (const { draft, before, ...message } of messages) {
      tx.record(before);
      this.recordPosted(tx, place, draft, message);
    }
  }

  /** A new message opens a direct message for those who had closed it (conversations.close). @param micros its ts */
  async reopen(tx: Tx, place: EventPlace, micros: number): Promise<void> {
    const { id, type } = place.conversation;
    if (type !== 'im' && type !== 'mpim') return;
    const eventTs = formatTs(this.clock.nowMicros());
    for (const { user_id: userId } of await tx.query<{ user_id: string }>(REOPEN_ALL, [id, micros])) {
      tx.record((type === 'im' ? imOpened : groupOpened)({ ...place, userId, eventTs }));
    }
  }

  /** A message as events show it: whole, with metadata, seen by nobody in particular. */
  async wireForEvents(tx: Tx, conversationId: string, ts: number): Promise<string> {
    const [row] = await tx.query<{ wire: string }>(MESSAGE_FOR_EVENTS, [conversationId, ts]);
    if (!row) throw new MessagingError('message_not_found');
    return row.wire;
  }

  /** A message as its reader sees it, without metadata. @param viewer the reader's ids (`authorIds`) */
  async seen(tx: Tx, conversationId: string, ts: number, viewer: readonly string[]): Promise<string> {
    const [row] = await tx.query<{ wire: string }>(MESSAGE_FOR_VIEWER, [conversationId, ts, viewer]);
    if (!row) throw new MessagingError('message_not_found');
    return row.wire;
  }

  /**
   * The thread that a message belongs to, or would begin; null when there is no such message.
   * @throws MessagingError cannot_reply_to_message
   */
  async threadOf(
    tx: Tx,
    conversationId: string,
    ts: number,
  ): Promise<{ ts: string; parentUserId: string | null } | null> {
    const parent = await this.lockParent(tx, conversationId, ts);
    return parent ? { ts: formatTs(parent.ts), parentUserId: parent.user_id } : null;
  }

  /** The message that a reply belongs to; a reply's own ts leads to its parent (chat.postMessage, thread_ts). */
  private async lockParent(
    tx: Tx,
    conversationId: string,
    ts: number,
  ): Promise<{ ts: number; user_id: string | null; reply_users: string[] } | undefined> {
    interface Row {
      ts: number;
      thread_ts: number | null;
      subtype: string | null;
      user_id: string | null;
      reply_users: string[];
    }
    let [row] = await tx.query<Row>(LOCK_PARENT, [conversationId, ts]);
    if (row?.thread_ts) [row] = await tx.query<Row>(LOCK_PARENT, [conversationId, row.thread_ts]);
    if (row?.subtype && SYSTEM_SUBTYPES.has(row.subtype)) throw new MessagingError('cannot_reply_to_message');
    return row;
  }
}

/** Stores messages of a conversation, without what finds posts. */
async function storeAll(
  tx: Tx,
  { conversation }: EventPlace,
  messages: readonly { draft: Draft; micros: number; wire: string }[],
): Promise<void> {
  await tx.query(INSERT_MESSAGES, [
    conversation.id,
    messages.map(({ micros }) => micros),
    messages.map(({ draft }) => draft.userId),
    messages.map(({ draft }) => draft.botId),
    messages.map(({ draft }) => draft.subtype),
    messages.map(({ draft }) => draft.text),
    messages.map(({ wire }) => wire),
    messages.map(({ draft }) => draft.metadata),
  ]);
}
