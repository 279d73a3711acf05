import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { newId } from '../../kernel/ids/ids.js';
import { SandboxDues } from '../../kernel/sandbox/sandbox-dues.js';
import { SandboxReader } from '../../kernel/sandbox/sandbox-flags.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { eventPlaceOf } from '../events/define-chat-event.js';
import { encodeCursor, keyOfCursor, pageEnd } from '../rpc/cursor.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { WireText } from '../rpc/wire-text.js';
import { MessageLog } from '../messages/message-log.js';
import { withMetadata } from '../wire/message-wire.js';
import { MessagingError } from '../wire/codes.js';
import { authorOf, ChatService, type PostRequest } from './chat.service.js';
import type {
  ChatDeleteScheduledMessageArgs,
  ChatScheduledMessagesListArgs,
  ChatScheduleMessageArgs,
} from './scheduled.dto.js';
import {
  DELETE_SCHEDULED,
  DUE,
  NEXT_DUE,
  SCHEDULED_AROUND,
  SCHEDULED_PAGE,
  TAKE_SCHEDULED,
  type DueRow,
  type TakenRow,
} from './scheduled.queries.js';
import { ScheduledMessage } from './scheduled-message.entity.js';

const MAX_SECONDS_AHEAD = 120 * 86_400;
/** The most in a channel within this many seconds of each other. */
const MAX_NEARBY = 30;
const AROUND_SECONDS = 300;
/** How late they may be posted, at most. */
const LOOK_EVERY_MS = 400;

/** Scheduled messages: chat.scheduleMessage, chat.scheduledMessages.list, chat.deleteScheduledMessage. */
@Injectable()
export class ScheduledMessages {
  private readonly logger = new Logger('ScheduledMessages');

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly conversations: ConversationAccess,
    private readonly log: MessageLog,
    private readonly chat: ChatService,
    private readonly sandboxes: SandboxReader,
    upkeep: Upkeep,
    dues: SandboxDues,
  ) {
    dues.register({ next: (tenantId) => this.nextDue(tenantId), run: () => this.postDue() });
    upkeep.register('posting scheduled messages', LOOK_EVERY_MS, (stopped) => this.postDue(stopped));
  }

  async schedule(caller: Caller, args: ChatScheduleMessageArgs): Promise<Answer> {
    const now = this.clock.nowSeconds();
    if (args.post_at <= now) throw new MessagingError('time_in_past');
    if (args.post_at > now + MAX_SECONDS_AHEAD) throw new MessagingError('time_too_far');
    if (args.isEmpty) throw new MessagingError('no_text');
    const { conversation, memberId } = await this.chat.destination(caller, args.channel);
    const post: PostRequest = {
      author: authorOf(caller, {}, this.chat.baseUrl),
      content: await this.chat.content(caller, args),
      memberId,
      threadTs: args.thread_ts,
      broadcast: args.thread_ts === undefined ? undefined : args.reply_broadcast,
      hidesLinks: args.hidesLinks,
    };
    const id = newId('Q');
    const place = eventPlaceOf(caller, conversation);
    const draft = await this.db.write(async (tx) => {
      await this.log.hold(tx, conversation.id, memberId);
      const thread = post.threadTs === undefined ? null : await this.log.threadOf(tx, conversation.id, post.threadTs);
      const [around] = await tx.query<{ count: number }>(SCHEDULED_AROUND, [
        conversation.id,
        args.post_at,
        AROUND_SECONDS,
      ]);
      if ((around?.count ?? 0) >= MAX_NEARBY) throw new MessagingError('restricted_too_many');
      await tx.sql.insert(ScheduledMessage, {
        id,
        workspaceId: caller.workspaceId,
        conversationId: conversation.id,
        appId: caller.app?.id ?? null,
        userId: caller.userId,
        postAt: args.post_at,
        createdAt: now,
        text: post.content.text,
        post: post as object,
      });
      return this.chat.draft(place, post, thread ?? undefined);
    });
    return {
      channel: conversation.id,
      scheduled_message_id: id,
      post_at: args.post_at,
      message: new WireText(withMetadata(`${draft.open}}`, draft.metadata)),
      ...(args.truncated ? { warning: 'message_truncated' } : {}),
    };
  }

  async list(caller: Caller, args: ChatScheduledMessagesListArgs): Promise<Answer> {
    const from = keyOfCursor(args.cursor);
    if (args.channel !== undefined) await this.conversations.visible(caller, args.channel);
    interface Row extends Record<string, unknown> {
      id: string;
      channelId: string;
      postAt: number;
      createdAt: number;
      text: string;
    }
    const rows = await this.db.read<Row>(SCHEDULED_PAGE, [
      ...ownerOf(caller),
      args.channel ?? null,
      args.oldest === undefined ? null : Math.ceil(args.oldest / 1e6),
      args.latest === undefined ? null : Math.floor(args.latest / 1e6),
      ...from,
      args.limit + 1,
    ]);
    const next = rows[args.limit];
    return {
      scheduled_messages: rows.slice(0, args.limit).map((row) => ({
        id: row.id,
        channel_id: row.channelId,
        post_at: row.postAt,
        date_created: row.createdAt,
        text: row.text,
      })),
      ...pageEnd(next && encodeCursor('scheduled', `${next.postAt}:${next.id}`)),
    };
  }

  async delete(caller: Caller, args: ChatDeleteScheduledMessageArgs): Promise<void> {
    const conversation = await this.conversations.visible(caller, args.channel);
    const values = [...ownerOf(caller), conversation.id, args.scheduled_message_id];
    if ((await this.db.run(DELETE_SCHEDULED, values)).length === 0) {
      throw new MessagingError('invalid_scheduled_message_id');
    }
  }

  /** Posts due messages in order: of several replicas one posts each message. */
  async postDue(stopped = (): boolean => false): Promise<void> {
    for (;;) {
      const due = await this.db.read<DueRow>(DUE, [this.clock.wallOffsetMicros]);
      if (due.length === 0) return;
      let failed = false;
      for (const { id, flags } of due) {
        if (stopped()) return;
        try {
          await this.clock.doing(this.sandboxes.read(flags), `scheduled ${id}`, () => this.postOne(id));
        } catch (error) {
          // it stays scheduled, and does not delay others
          failed = true;
          this.logger.warn(`a scheduled message waits: ${(error as Error).message}`);
        }
      }
      if (failed) return;
    }
  }

  private async nextDue(tenantId: number): Promise<number | null> {
    const [row] = await this.db.read<{ postAt: number | null }>(NEXT_DUE, [tenantId]);
    const postAt = row?.postAt ?? null;
    return postAt === null ? null : postAt * 1e6;
  }

  /** Drops a message that can no longer be posted (archived meanwhile, its author deleted). */
  private async postOne(id: string): Promise<void> {
    await this.db.write(async (tx) => {
      const [taken] = await tx.query<TakenRow>(TAKE_SCHEDULED, [id]);
      if (!taken?.isAlive) return;
      const place = {
        tenantId: taken.tenantId,
        workspaceId: taken.workspaceId,
        conversation: { id: taken.conversationId, type: taken.type },
      };
      try {
        await this.chat.postIn(tx, place, taken.post);
      } catch (error) {
        if (!(error instanceof MessagingError)) throw error;
        this.logger.debug(`a scheduled message was dropped: ${error.code}`);
      }
    });
  }
}

/** Workspace, app, user, as the statements take them. */
const ownerOf = (caller: Caller): [string, string | null, string] => [
  caller.workspaceId,
  caller.app?.id ?? null,
  caller.userId,
];
