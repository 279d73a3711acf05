import { Injectable } from '@nestjs/common';
import { byNumber, coalesce } from '../../kernel/database/coalesce.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { BatchedWrites, type BatchedRow } from '../../kernel/events/batched-writes.js';
import { messagePosted, messageReplied, type EventPlace } from '../events/chat-events.js';
import { BLANK } from '../wire/blanks.js';
import { closeWire, withMetadata } from '../wire/message-wire.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import type { Draft } from './draft.js';
import { AppMessageEvents } from './app-message-events.js';
import { endStatusWithReply } from './assistant-threads.js';
import { MessageLog } from './message-log.js';
import { SYSTEM_SUBTYPES } from '../store/message.entity.js';
import { formatTs } from '../store/message-ts.js';
import { PARENTS, REPLY_BATCH } from './replies.queries.js';

interface Parent extends Record<string, unknown> {
  n: number;
  ts: number;
  user_id: string | null;
  subtype: string | null;
}

interface ReplyRow extends BatchedRow {
  /** Null unless done. */
  ts: number | null;
}

export interface Reply extends EventPlace {
  /** As sent: a reply's own ts leads to its parent. */
  readonly threadTs: number;
  /** Who must be a member; null = nobody. */
  readonly memberId: string | null;
  /** Whether the channel shows it too. */
  readonly broadcast: boolean;
  readonly draftOf: (thread: { ts: string; parentUserId: string | null }) => Draft;
}

interface Replied {
  /** Microseconds. */
  readonly ts: number;
  readonly draft: Draft;
}

/** Replies. One statement judges and stores them, for all that come together and for one in a transaction. */
@Injectable()
export class Replies {
  private readonly parents: (key: { conversationId: string; ts: number }) => Promise<Parent | undefined>;
  private readonly send;

  constructor(
    private readonly db: Db,
    writes: BatchedWrites,
    private readonly log: MessageLog,
    private readonly appEvents: AppMessageEvents,
  ) {
    this.parents = coalesce(
      async (keys) => {
        const values = [keys.map((key) => key.conversationId), keys.map((key) => key.ts)];
        return byNumber(await db.read<Parent>(PARENTS, values), keys.length);
      },
      { name: 'chat.parents' },
    );
    const together = (row: { conversation_id: unknown }): string => String(row.conversation_id);
    this.send = writes.verb(REPLY_BATCH, { name: 'chat.reply', together });
  }

  /**
   * Stores a reply that the channel does not show. Null when there is no such parent.
   * @throws MessagingError channel_not_found, is_archived, not_in_channel, cannot_reply_to_message
   */
  async post(reply: Reply): Promise<Replied | null> {
    const { conversation, tenantId, threadTs } = reply;
    for (;;) {
      const parent = await this.parents({ conversationId: conversation.id, ts: threadTs });
      if (!parent) return null;
      const draft = draftUnder(parent, reply);
      if (await this.appEvents.mayConcern(reply, draft)) break;
      const wire = withMetadata(closeWire(draft.open, BLANK.ts), draft.metadata);
      const told = { user: draft.userId ?? undefined, ts: BLANK.ts };
      const { outcome, ts } = await this.send<ReplyRow>(tenantId, {
        ...rowOf(reply, parent, draft),
        data: messagePosted({ ...reply, wire, ts: BLANK.ts }).data,
        notice: messageReplied({ ...reply, ts: BLANK.noticeTs, parent: `${BLANK.parent}}`, reply: told }).data,
      });
      if (ts !== null) return { ts, draft };
      if (outcome === 'own_transaction') break;
      if (outcome !== 'moved') throw new MessagingError(outcome as ErrorCode);
    }
    return this.db.write((tx) => this.postIn(tx, reply));
  }

  /** The same inside a transaction, where a reply can have further events and be shown in the channel. */
  async postIn(tx: Tx, reply: Reply): Promise<Replied | null> {
    const { conversation, tenantId, threadTs } = reply;
    for (;;) {
      const [parent] = await tx.query<Parent>(PARENTS, [[conversation.id], [threadTs]]);
      if (!parent) return null;
      const draft = draftUnder(parent, reply);
      const row = { ...rowOf(reply, parent, draft), data: null, notice: null };
      const { outcome, ts } = await this.send.within<ReplyRow>(tx, tenantId, row);
      if (ts !== null) {
        await this.recordReplied(tx, reply, parent.ts, { ts, draft });
        return { ts, draft };
      }
      if (outcome !== 'moved') throw new MessagingError(outcome as ErrorCode);
    }
  }

  private async recordReplied(tx: Tx, reply: Reply, parentTs: number, { ts: micros, draft }: Replied): Promise<void> {
    const { id } = reply.conversation;
    const ts = formatTs(micros);
    const wire = closeWire(draft.open, ts);
    // only a broadcast shows more than what was stored: its root
    const shown = reply.broadcast ? await this.log.wireForEvents(tx, id, micros) : withMetadata(wire, draft.metadata);
    await this.log.reopen(tx, reply, micros);
    tx.record(messagePosted({ ...reply, wire: shown, ts }));
    if (!draft.isUnfinished) await this.appEvents.recordPosted(tx, reply, wire, draft.hidesLinks);
    const parent = await this.log.wireForEvents(tx, id, parentTs);
    const told = { user: draft.userId ?? undefined, ts };
    tx.record(messageReplied({ ...reply, ts: formatTs(micros + 1), parent, reply: told }));
    if (draft.botId !== null) await endStatusWithReply(tx, reply, parentTs, draft.botId);
  }
}

function draftUnder({ ts, user_id: parentUserId, subtype }: Parent, { draftOf }: Reply): Draft {
  if (subtype !== null && SYSTEM_SUBTYPES.has(subtype)) throw new MessagingError('cannot_reply_to_message');
  return draftOf({ ts: formatTs(ts), parentUserId });
}

const rowOf = ({ conversation, workspaceId, memberId, broadcast }: Reply, parent: Parent, draft: Draft) => ({
  conversation_id: conversation.id,
  workspace_id: workspaceId,
  member_id: memberId,
  thread_ts: parent.ts,
  parent_user_id: parent.user_id,
  is_broadcast: broadcast,
  user_id: draft.userId,
  bot_id: draft.botId,
  subtype: draft.subtype,
  text: draft.text,
  wire: closeWire(draft.open, BLANK.ts),
  metadata: draft.metadata,
});
