import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import type { Statement } from '../../kernel/database/statement.js';
import { TenantMemories, type TenantMemory } from '../../kernel/tenancy/tenant-memory.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { authorIds, type VisibleConversation } from '../access/identity.js';
import { SYSTEM_SUBTYPES } from '../store/message.entity.js';
import { encodeCursor, pageEnd } from '../rpc/cursor.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { MAX_CHARACTERS } from '../rpc/page-texts.js';
import { WireText } from '../rpc/wire-text.js';
import type { ConversationsHistoryArgs, ConversationsRepliesArgs } from './conversations.dto.js';
import { HISTORY_BACKWARD, HISTORY_FORWARD, REPLIES, type PageRow, type RepliesRow } from './history.queries.js';

/** What a page takes besides its text, in characters. */
const ROW_CHARACTERS = 500;

/** No ts is as large, so this means no bound. */
const NO_BOUND = Number.MAX_SAFE_INTEGER;

/** Bounds as the statements want them: both exclusive. */
function bounds(args: { oldest?: number; latest?: number; inclusive: boolean }): { after: number; before: number } {
  const widen = args.inclusive ? 1 : 0;
  return {
    after: (args.oldest ?? 0) - widen,
    before: args.latest === undefined ? NO_BOUND : Math.min(args.latest + widen, NO_BOUND),
  };
}

/** Reads messages: conversations.history and conversations.replies. */
@Injectable()
export class History {
  private readonly pages: TenantMemory<PageRow>;

  constructor(
    private readonly db: Db,
    private readonly conversations: ConversationAccess,
    memories: TenantMemories,
  ) {
    this.pages = memories.ofContent(MAX_CHARACTERS, ({ wire }) => wire.length + ROW_CHARACTERS);
  }

  async page(caller: Caller, args: ConversationsHistoryArgs): Promise<Answer> {
    const conversation = await this.readable(caller, args.channel);
    const { cursor } = args;
    const { after, before } = bounds(args);
    const forward = args.oldest !== undefined && args.latest === undefined;
    const row = await this.read(caller, forward ? HISTORY_FORWARD : HISTORY_BACKWARD, [
      conversation.id,
      forward && cursor !== undefined ? Math.max(after, cursor - 1) : after,
      !forward && cursor !== undefined ? Math.min(before, cursor + 1) : before,
      args.limit,
      authorIds(caller),
      args.include_all_metadata,
    ]);
    return {
      latest: args.sent_latest,
      oldest: args.sent_oldest,
      messages: new WireText(`[${row.wire}]`),
      has_more: row.next_ts !== null,
      pin_count: conversation.pinCount,
      channel_actions_ts: null,
      channel_actions_count: 0,
      ...pageEnd(row.next_ts === null ? '' : encodeCursor('next_ts', Number(row.next_ts))),
    };
  }

  async replies(caller: Caller, args: ConversationsRepliesArgs): Promise<Answer> {
    const conversation = await this.readable(caller, args.channel);
    const { cursor } = args;
    const isFirst = cursor === undefined;
    const { after, before } = bounds(args);
    const [row] = await this.db.read<RepliesRow & Record<string, unknown>>(REPLIES, [
      conversation.id,
      isFirst ? after : Math.max(after, cursor - 1),
      before,
      // the first page begins with the parent, which counts
      isFirst ? args.limit - 1 : args.limit,
      authorIds(caller),
      args.include_all_metadata,
      args.ts,
      caller.kind === 'bot',
    ]);
    if (!row || (row.subtype !== null && SYSTEM_SUBTYPES.has(row.subtype))) {
      throw new MessagingError('thread_not_found');
    }
    if (row.is_alone === 'true') return thread(row.parent, null);
    return thread([...(isFirst ? [row.parent] : []), ...(row.wire === '' ? [] : [row.wire])].join(','), row.next_ts);
  }

  /** A bot reads public channels only as a member; people and user tokens read any (conversations.history). */
  private async readable(caller: Caller, channel: string): Promise<VisibleConversation> {
    const conversation = await this.conversations.visible(caller, channel);
    if (caller.kind === 'bot' && !conversation.isMember) throw new MessagingError('not_in_channel');
    return conversation;
  }

  /** People wait for an answer by asking again and again, mostly for the same page. */
  private read({ tenantId }: Caller, query: Statement, values: unknown[]): Promise<PageRow> {
    return this.pages.of(tenantId, `${query.name} ${JSON.stringify(values)}`, async () => {
      const [row] = await this.db.read<PageRow & Record<string, unknown>>(query, values);
      return row as PageRow;
    });
  }
}

const thread = (wire: string, nextTs: string | null): Answer => ({
  messages: new WireText(`[${wire}]`),
  has_more: nextTs !== null,
  ...pageEnd(nextTs === null ? '' : encodeCursor('reply_ts', Number(nextTs))),
});
