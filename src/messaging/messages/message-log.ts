import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { messagePosted, messageReplied, type DomainEvent, type EventPlace } from '../events/chat-events.js';
import { groupOpened, imOpened } from '../events/conversation-events.js';
import { MessagingError } from '../wire/codes.js';
import { isMember } from '../access/conversation-access.js';
import { recordScreenChanges } from './assistant-threads.js';
import type { Draft } from './draft.js';
import { AppMessageEvents } from './app-message-events.js';
import { SYSTEM_SUBTYPES } from '../store/message.entity.js';
import { formatTs } from '../store/message-ts.js';
import {
  HOLD,
  INSERT_MESSAGES,
  INSERT_POST,
  LOCK_PARENT,
  MESSAGE_FOR_VIEWER,
  MESSAGE_FOR_EVENTS,
  NEXT_TS,
  REOPEN_ALL,
} from './message-log.queries.js';
import { PostBatches, type Post } from './post-batches.js';
import { closeWire, withMetadata } from '../wire/message-wire.js';
import { INSERT_REPLY } from './stored-replies.queries.js';

/** A reply to a message: its parent as it was looked up, and whether the channel shows the reply too. */
export interface ReplyTo {
  readonly ts: number;
  readonly broadcast: boolean;
  /** More of the reply, which depends on its ts. */
  readonly attach?: ((ts: string) => object) | undefined;
}

/**
 * Stores messages. Every message, whoever writes it, gets its ts and its event here
 * (docs/reference/chat.md#timestamps, docs/reference/events.md#kinds).
 */
@Injectable()
export class MessageLog {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly posts: PostBatches,
    private readonly appEvents: AppMessageEvents,
  ) {}

  /**
   * Posts a top-level message: concurrent posts share one statement. Answers its ts.
   * @throws MessagingError channel_not_found, is_archived, not_in_channel: as of the moment of the post
   */
  async post(post: Post): Promise<string> {
    if (await this.appEvents.mayConcern(post, post.draft)) return this.postInTransaction(post);
    const posted = await this.posts.post(post);
    return posted === 'own_transaction' ? this.postInTransaction(post) : posted;
  }

  /** A post with further events: for an app that it concerns, for those who had closed the conversation. */
  private postInTransaction(post: Post): Promise<string> {
    const { draft, memberId, ...place } = post;
    return this.db.write(async (tx) => {
      await this.hold(tx, place.conversation.id, memberId);
      return (await this.appendPost(tx, place, draft)).ts;
    });
  }

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

  /** Stores a post inside a transaction that holds the conversation: like `post`, with its search row. */
  async appendPost(
    tx: Tx,
    place: EventPlace,
    draft: Draft,
    attach?: (ts: string) => object,
  ): Promise<{ ts: string; micros: number; wire: string }> {
    const message = await this.next(tx, place, draft, attach);
    const { micros, wire } = message;
    const { userId, botId, subtype, text, metadata } = draft;
    const values = [place.conversation.id, micros, userId, botId, subtype, text, wire, metadata, place.workspaceId];
    await tx.query(INSERT_POST, values);
    this.recordPosted(tx, place, draft, message);
    if (!draft.isUnfinished) await this.appEvents.recordPosted(tx, place, wire, draft.hidesLinks);
    return message;
  }

  /** The next message of a conversation, with its ts. */
  private async next(tx: Tx, place: EventPlace, draft: Draft, attach?: (ts: string) => object) {
    await this.reopen(tx, place);
    const micros = await this.nextTs(tx, place.conversation.id);
    const ts = formatTs(micros);
    return { ts, micros, wire: closeWire(attached(draft.open, attach, ts), ts) };
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

  /**
   * Stores a reply and counts it on its parent. `thread` makes the open wire, which names the parent. Null when the
   * parent is gone meanwhile.
   * @throws MessagingError cannot_reply_to_message
   */
  async reply(
    tx: Tx,
    place: EventPlace,
    to: ReplyTo,
    draftOf: (thread: { ts: string; parentUserId: string | null }) => Draft,
  ): Promise<{ ts: string; micros: number; wire: string } | null> {
    const parent = await this.lockParent(tx, place.conversation.id, to.ts);
    if (!parent) return null;
    const draft = draftOf({ ts: formatTs(parent.ts), parentUserId: parent.user_id });
    await this.reopen(tx, place);
    // one for the reply, one for the notice that follows it
    const noticeTs = await this.nextTs(tx, place.conversation.id, 2);
    const micros = noticeTs - 1;
    const ts = formatTs(micros);
    const wire = closeWire(attached(draft.open, to.attach, ts), ts);
    const [counted] = await tx.query<{ parent: string; ended_status: string | null }>(INSERT_REPLY, [
      place.conversation.id,
      micros,
      parent.ts,
      to.broadcast,
      draft.userId,
      draft.botId,
      draft.subtype,
      draft.text,
      wire,
      draft.metadata,
      draft.userId ?? draft.botId ?? '',
      place.workspaceId,
    ]);
    // only a broadcast shows more than what was stored: its root
    const shown = to.broadcast
      ? await this.wireForEvents(tx, place.conversation.id, micros)
      : withMetadata(wire, draft.metadata);
    tx.record(messagePosted({ ...place, wire: shown, ts }));
    if (!draft.isUnfinished) await this.appEvents.recordPosted(tx, place, wire, draft.hidesLinks);
    tx.record(
      messageReplied({
        ...place,
        ts: formatTs(noticeTs),
        parent: (counted as { parent: string }).parent,
        reply: { user: draft.userId ?? undefined, ts },
      }),
    );
    // the app's status was cleared with its reply
    if (counted?.ended_status) await recordScreenChanges(tx, place, place.conversation.id, counted.ended_status);
    return { ts, micros, wire };
  }

  /** A new message opens a direct message for those who had closed it (conversations.close). */
  private async reopen(tx: Tx, place: EventPlace): Promise<void> {
    const { id, type } = place.conversation;
    if (type !== 'im' && type !== 'mpim') return;
    const eventTs = formatTs(this.clock.nowMicros());
    for (const { user_id: userId } of await tx.query<{ user_id: string }>(REOPEN_ALL, [id])) {
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

/** An open message with more members, of those that are there. */
function attached(open: string, attach: ((ts: string) => object) | undefined, ts: string): string {
  const more = attach ? JSON.stringify(attach(ts)).slice(1, -1) : '';
  return more === '' ? open : `${open},${more}`;
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
