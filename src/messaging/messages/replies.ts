import { Injectable } from '@nestjs/common';
import { byNumber, coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { BatchedWrites, type BatchedRow } from '../../kernel/events/batched-writes.js';
import { messagePosted, messageReplied, type EventPlace } from '../events/chat-events.js';
import { BLANK } from '../wire/blanks.js';
import { closeWire, withMetadata } from '../wire/message-wire.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import type { Draft } from './draft.js';
import { AppMessageEvents } from './app-message-events.js';
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

interface Reply extends EventPlace {
  /** As sent: a reply's own ts leads to its parent. */
  readonly threadTs: number;
  /** Who must be a member; null = nobody. */
  readonly memberId: string | null;
  readonly draftOf: (thread: { ts: string; parentUserId: string | null }) => Draft;
}

/** Replies that do nothing but stand in their thread: concurrent ones share a statement, as posts do. */
@Injectable()
export class Replies {
  private readonly parents: (key: { conversationId: string; ts: number }) => Promise<Parent | undefined>;
  private readonly send;

  constructor(
    db: Db,
    writes: BatchedWrites,
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
   * Stores a reply. Null when there is no such parent, `own_transaction` for one that others have to be told of, which takes a
   * transaction of its own.
   * @throws MessagingError channel_not_found, is_archived, not_in_channel, cannot_reply_to_message
   */
  async post(reply: Reply): Promise<{ ts: string; draft: Draft } | 'own_transaction' | null> {
    const { threadTs, memberId, draftOf, ...place } = reply;
    const { conversation, tenantId, workspaceId } = place;
    for (;;) {
      const parent = await this.parents({ conversationId: conversation.id, ts: threadTs });
      if (!parent) return null;
      if (parent.subtype !== null && SYSTEM_SUBTYPES.has(parent.subtype)) {
        throw new MessagingError('cannot_reply_to_message');
      }
      const draft = draftOf({ ts: formatTs(parent.ts), parentUserId: parent.user_id });
      if (await this.appEvents.mayConcern(place, draft)) return 'own_transaction';
      const wire = closeWire(draft.open, BLANK.ts);
      const said = { ...place, wire: withMetadata(wire, draft.metadata), ts: BLANK.ts };
      const told = { user: draft.userId ?? undefined, ts: BLANK.ts };
      const { outcome, ts } = await this.send<ReplyRow>(tenantId, {
        conversation_id: conversation.id,
        workspace_id: workspaceId,
        member_id: memberId,
        thread_ts: parent.ts,
        parent_user_id: parent.user_id,
        user_id: draft.userId,
        bot_id: draft.botId,
        subtype: draft.subtype,
        text: draft.text,
        wire,
        metadata: draft.metadata,
        data: messagePosted(said).data,
        notice: messageReplied({ ...place, ts: BLANK.noticeTs, parent: `${BLANK.parent}}`, reply: told }).data,
      });
      if (ts !== null) return { ts: formatTs(ts), draft };
      if (outcome === 'own_transaction') return outcome;
      if (outcome !== 'moved') throw new MessagingError(outcome as ErrorCode);
    }
  }
}
