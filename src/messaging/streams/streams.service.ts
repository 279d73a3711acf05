import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { AppsAccess } from '../access/apps-access.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { authorIds } from '../access/identity.js';
import { UsersAccess } from '../access/users-access.js';
import { AgentSessions } from '../chat/agent-sessions.js';
import { authorOf, ChatService } from '../chat/chat.service.js';
import { eventPlaceOf } from '../events/define-chat-event.js';
import { WireText } from '../rpc/wire-text.js';
import { MessageLog } from '../messages/message-log.js';
import { Message } from '../store/message.entity.js';
import { parseTs } from '../store/message-ts.js';
import { StreamNews } from '../messages/stream-news.js';
import { MessagingError } from '../wire/codes.js';
import { streamedWire, type MessageApp, withMetadata } from '../wire/message-wire.js';
import { codePointLength } from '../wire/text.js';
import type { Chunk } from './chunks.js';
import { GrowingTexts } from './growing-texts.js';
import { MessageStream } from './message-stream.entity.js';
import { addChunks, addLastBlocks, emptyContent, render, type StreamContent } from './stream-content.js';
import { StreamEnds } from './stream-ends.js';
import type { ChatAppendStreamArgs, ChatStartStreamArgs, ChatStopStreamArgs } from './streams.dto.js';
import { GROW_STREAM, HOLD_STREAM, type StreamRow } from './streams.queries.js';

/** Messages that apps write bit by bit: chat.startStream, chat.appendStream, chat.stopStream (docs/reference/chat.md#streams). */
@Injectable()
export class Streams {
  private readonly texts = new GrowingTexts();

  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly apps: AppsAccess,
    private readonly users: UsersAccess,
    private readonly conversations: ConversationAccess,
    private readonly chat: ChatService,
    private readonly log: MessageLog,
    private readonly sessions: AgentSessions,
    private readonly ends: StreamEnds,
    private readonly news: StreamNews,
  ) {}

  /** Answers the ts of the message. */
  async start(caller: Caller, args: ChatStartStreamArgs): Promise<string> {
    const app = appOf(caller);
    const chunks = chunksOf(args);
    const content = emptyContent(args.task_display_mode === 'plan');
    addChunks(content, chunks);
    const { text, blocks } = render(content, this.texts);
    const conversation = await this.conversations.visible(caller, args.channel);
    const memberId = this.chat.requirePostable(caller, conversation);
    const startedAt = this.clock.nowMicros();
    const { streamSeconds } = this.settings;
    return this.db.write(async (tx) => {
      await this.log.hold(tx, conversation.id, memberId);
      if (args.thread_ts !== undefined && !(await this.log.threadOf(tx, conversation.id, args.thread_ts))) {
        throw new MessagingError('message_not_found');
      }
      if (conversation.type === 'im') await this.requireMessagesTab(tx, caller.workspaceId, app);
      else await this.requireRecipients(tx, caller, args);
      const posted = await this.chat.postIn(tx, eventPlaceOf(caller, conversation), {
        author: authorOf(caller, args, this.chat.baseUrl),
        content: { text, blocks },
        memberId,
        threadTs: args.thread_ts,
        isUnfinished: true,
        attach: () => ({ streaming_state: 'in_progress' }),
      });
      await tx.sql.insert(MessageStream, {
        conversationId: conversation.id,
        ts: parseTs(posted.ts) as number,
        workspaceId: caller.workspaceId,
        appId: app.id,
        botId: app.botId,
        content: JSON.stringify(content),
        begun: posted.message.json,
        startedAt,
        expiresAt: streamSeconds === 0 ? null : startedAt + streamSeconds * 1e6,
        characters: charactersOf(chunks),
      });
      return posted.ts;
    });
  }

  async append(caller: Caller, args: ChatAppendStreamArgs): Promise<void> {
    const conversation = await this.conversations.visible(caller, args.channel);
    const chunks = chunksOf(args);
    const key = { conversationId: conversation.id, ts: args.ts };
    const isOpen = await this.db.write(
      async (tx) => {
        const stream = await this.find(tx, caller, key);
        if (stream.state === 'stopped_by_user') throw new MessagingError('stopped_by_user');
        if (stream.state !== 'open') throw new MessagingError('message_not_in_streaming_state');
        if (this.isOverdue(stream)) return false;
        const content = contentOf(stream);
        addChunks(content, chunks);
        const { text, blocks } = render(content, this.texts);
        await tx.query(GROW_STREAM, [
          key.conversationId,
          key.ts,
          JSON.stringify(content),
          charactersOf(chunks),
          text,
          streamedWire(stream.wire, { text, blocks }, false),
        ]);
        return true;
      },
      { keeps: 'callers' },
    );
    if (!isOpen) await this.refuseOverdue(key);
    this.news.grew({ tenantId: caller.tenantId, conversation, ts: args.ts });
  }

  /** Answers the finished message. */
  async stop(caller: Caller, args: ChatStopStreamArgs): Promise<WireText> {
    await this.conversations.visible(caller, args.channel);
    const chunks = chunksOf(args);
    const stopped = await this.db.write(async (tx) => {
      const conversation = await this.conversations.forUpdate(tx, caller, args.channel);
      const key = { conversationId: conversation.id, ts: args.ts };
      const stream = await this.find(tx, caller, key);
      if (stream.state !== 'open' && stream.state !== 'stopped_by_user') {
        throw new MessagingError('message_not_in_streaming_state');
      }
      if (args.session_status) await this.sessions.requireAgent(tx, caller, conversation.id);
      if (stream.state === 'open' && this.isOverdue(stream)) return null;
      const content = contentOf(stream);
      addChunks(content, chunks);
      addLastBlocks(content, args.blocks ?? []);
      const metadata = args.metadata && JSON.stringify(args.metadata);
      await this.ends.end(tx, eventPlaceOf(caller, conversation), stream, {
        state: 'stopped',
        content: { rendered: render(content, this.texts), characters: charactersOf(chunks) },
        metadata,
      });
      if (args.session_status) {
        const threadTs = await this.sessions.threadOf(tx, conversation.id, args.ts);
        const place = eventPlaceOf(caller, conversation);
        await this.sessions.setStatus(tx, place, caller, threadTs, { status: args.session_status });
      }
      const wire = await this.log.seen(tx, conversation.id, args.ts, authorIds(caller));
      return new WireText(withMetadata(wire, metadata ?? null));
    });
    return stopped ?? this.refuseOverdue({ conversationId: args.channel, ts: args.ts });
  }

  /**
   * The caller's stream, locked.
   * @throws MessagingError message_not_found, message_not_owned_by_app, message_not_in_streaming_state
   */
  private async find(tx: Tx, caller: Caller, key: { conversationId: string; ts: number }): Promise<StreamRow> {
    const [stream] = await tx.query<StreamRow>(HOLD_STREAM, [key.conversationId, key.ts]);
    const written = stream ?? (await tx.sql.findOneBy(Message, key));
    if (!written) throw new MessagingError('message_not_found');
    if (written.botId !== caller.app?.botId) throw new MessagingError('message_not_owned_by_app');
    if (!stream) throw new MessagingError('message_not_in_streaming_state');
    return stream;
  }

  private isOverdue({ expiresAt }: StreamRow): boolean {
    return expiresAt !== null && expiresAt <= this.clock.nowMicros();
  }

  /** Its time is over, though no replica has ended it yet. */
  private async refuseOverdue(key: { conversationId: string; ts: number }): Promise<never> {
    await this.ends.expire(key);
    throw new MessagingError('message_not_in_streaming_state');
  }

  /** @throws MessagingError missing_recipient_user_id, missing_recipient_team_id, user_not_found, team_not_found */
  private async requireRecipients(tx: Tx, caller: Caller, args: ChatStartStreamArgs): Promise<void> {
    const { recipient_user_id: userId, recipient_team_id: teamId } = args;
    if (userId === undefined) throw new MessagingError('missing_recipient_user_id');
    if (teamId === undefined) throw new MessagingError('missing_recipient_team_id');
    if (!(await this.users.facts(caller, [userId], tx)).has(userId)) throw new MessagingError('user_not_found');
    if (teamId !== caller.workspaceId) throw new MessagingError('team_not_found');
  }

  private async requireMessagesTab(tx: Tx, workspaceId: string, { id }: MessageApp): Promise<void> {
    const app = await this.apps.find(workspaceId, id, tx);
    if (app?.manifest.features?.app_home?.messages_tab_enabled === false) {
      throw new MessagingError('messages_tab_disabled');
    }
  }
}

/** The methods are for bot tokens alone. */
function appOf({ app }: Caller): MessageApp {
  if (!app) throw new MessagingError('not_allowed_token_type');
  return app;
}

const contentOf = ({ content }: StreamRow): StreamContent => JSON.parse(content ?? '') as StreamContent;

/** All that a call adds, in order. */
const chunksOf = (args: { markdown_text?: string; chunks?: Chunk[] }): Chunk[] => [
  ...(args.markdown_text === undefined ? [] : [{ type: 'markdown_text', text: args.markdown_text } as const]),
  ...(args.chunks ?? []),
];

const charactersOf = (chunks: readonly Chunk[]): number =>
  chunks.reduce((sum, chunk) => sum + (chunk.type === 'markdown_text' ? codePointLength(chunk.text) : 0), 0);
