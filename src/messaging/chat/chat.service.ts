import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { sceneOf, type Scene } from '../model/chat-events.js';
import { MessagingError } from '../model/codes.js';
import { ConversationAccess, type Caller } from '../model/conversation-access.js';
import { DirectMessages } from '../model/direct-messages.js';
import { authorIds, holdsScope, type VisibleConversation } from '../model/identity.js';
import { MessageLog, type Draft } from '../model/message-log.js';
import { closeWire, openWire, type MessageAuthor, type MessageContent } from '../model/message-wire.js';
import { UsersAccess } from '../model/users-access.js';
import { WireText } from '../rpc/wire-text.js';

/** A post as any family may ask for it; content is valid already. */
export interface PostRequest {
  readonly author: MessageAuthor;
  readonly content: MessageContent & { metadata?: object | undefined };
  /** Who must be a member of the conversation; null = nobody. */
  readonly memberId: string | null;
  /** Microseconds; one that names no message is dropped (chat.postMessage, thread_ts). */
  readonly threadTs?: number | undefined;
  readonly broadcast?: boolean | undefined;
  /** Ids under which the author reads (`authorIds`), for `subscribed` in the answer; nobody's when absent. */
  readonly viewer?: readonly string[] | undefined;
}

/** What was posted: its ts and the message as clients see it. */
export interface Posted {
  readonly ts: string;
  readonly message: WireText;
}

/** Arguments of chat.postMessage that decide where and as whom. */
export interface PostMessageInput {
  channel: string;
  text?: string | undefined;
  blocks?: unknown[] | undefined;
  attachments?: unknown[] | undefined;
  metadata?: object | undefined;
  thread_ts?: number | undefined;
  reply_broadcast?: boolean | undefined;
  username?: string | undefined;
  icon_emoji?: string | undefined;
  icon_url?: string | undefined;
}

/** Posts messages: for chat.postMessage, and for whoever else in the product has something to say. */
@Injectable()
export class ChatService {
  constructor(
    private readonly db: Db,
    private readonly conversations: ConversationAccess,
    private readonly directMessages: DirectMessages,
    private readonly users: UsersAccess,
    private readonly log: MessageLog,
    private readonly publicUrl: PublicUrl,
  ) {}

  async postMessage(caller: Caller, input: PostMessageInput): Promise<Posted & { channel: string }> {
    const conversation = await this.destination(caller, input.channel);
    const isPublic = conversation.type === 'public';
    const uninvited = isPublic && caller.kind === 'bot' && holdsScope(caller, 'chat:write.public');
    if (conversation.isArchived) throw new MessagingError('is_archived');
    if (!conversation.isMember && !uninvited) throw new MessagingError('not_in_channel');
    const posted = await this.post(sceneOf(caller, conversation), {
      author: authorOf(caller, input),
      content: {
        text: input.text ?? '',
        blocks: input.blocks,
        attachments: input.attachments,
        metadata: input.metadata,
      },
      memberId: uninvited ? null : caller.userId,
      threadTs: input.thread_ts,
      broadcast: input.reply_broadcast,
      viewer: authorIds(caller),
    });
    return { channel: conversation.id, ...posted };
  }

  /**
   * Stores a message and tells of it. Top-level posts share statements with whatever else is posted at the moment.
   * @throws MessagingError channel_not_found, is_archived, not_in_channel, cannot_reply_to_message
   */
  async post(scene: Scene, request: PostRequest): Promise<Posted> {
    if (request.threadTs !== undefined) {
      const reply = await this.db.write((tx) => this.reply(tx, scene, request, request.threadTs as number));
      if (reply) return reply;
    }
    const draft = this.draft(scene, request);
    const ts = await this.log.post({ ...scene, draft, memberId: request.memberId });
    return { ts, message: new WireText(closeWire(draft.open, ts)) };
  }

  /** Null when the parent does not exist: then the message is posted top level (Slack). */
  private async reply(tx: Tx, scene: Scene, request: PostRequest, parentTs: number): Promise<Posted | null> {
    await this.log.hold(tx, scene.conversation.id, request.memberId);
    const reply = await this.log.reply(tx, scene, { ts: parentTs, broadcast: request.broadcast ?? false }, (thread) =>
      this.draft(scene, request, thread),
    );
    if (!reply) return null;
    const wire = request.broadcast
      ? await this.log.seen(tx, scene.conversation.id, reply.micros, request.viewer ?? [])
      : reply.wire;
    return { ts: reply.ts, message: new WireText(wire) };
  }

  private draft(scene: Scene, request: PostRequest, thread?: { ts: string; parentUserId: string | null }): Draft {
    const { content } = request;
    const isBroadcast = thread !== undefined && request.broadcast === true;
    const subtype = isBroadcast ? 'thread_broadcast' : request.author.custom ? 'bot_message' : undefined;
    // clients know their own bot by `user`, and by `bot_id` on a bot_message only (G.3), so only that goes without
    const author = subtype === 'bot_message' ? { ...request.author, user: undefined } : request.author;
    return {
      userId: author.user ?? null,
      botId: author.custom?.botId ?? author.app?.botId ?? null,
      subtype: subtype ?? null,
      text: content.text,
      open: openWire({
        workspaceId: scene.workspaceId,
        publicUrl: this.publicUrl.base,
        author,
        content,
        subtype,
        thread,
      }),
      metadata: content.metadata === undefined ? null : JSON.stringify(content.metadata),
    };
  }

  /** An id, a name, or a user: the DM with that user is made when it is missing (A.12). */
  private async destination(caller: Caller, channel: string): Promise<VisibleConversation> {
    const conversation = await this.conversations.findByIdOrName(caller, channel);
    if (conversation) return conversation;
    if (!/^U0[0-9A-Z]{9}$/.test(channel)) throw new MessagingError('channel_not_found');
    const user = (await this.users.facts(caller, [channel])).get(channel);
    if (!user || user.isDeleted) throw new MessagingError('channel_not_found');
    if (user.isBot && caller.isBot) throw new MessagingError('cannot_dm_bot');
    const members = [caller.userId, channel];
    const existing = await this.directMessages.find(caller, members);
    if (existing) return { ...existing, isMember: true };
    const { id } = await this.db.write((tx) => this.directMessages.open(tx, caller, members));
    return this.conversations.visible(caller, id);
  }
}

/** A bot token writes as the app, customised where it asks to be and may; everybody else as the user (C.1). */
function authorOf(caller: Caller, input: PostMessageInput): MessageAuthor {
  if (caller.kind !== 'bot' || !caller.app) return { user: caller.userId };
  const wanted = input.username !== undefined || input.icon_emoji !== undefined || input.icon_url !== undefined;
  if (!wanted || !holdsScope(caller, 'chat:write.customize')) return { user: caller.userId, app: caller.app };
  const icons =
    input.icon_emoji !== undefined
      ? { emoji: input.icon_emoji }
      : input.icon_url !== undefined
        ? { image_48: input.icon_url }
        : undefined;
  return {
    user: caller.userId,
    app: caller.app,
    custom: { botId: caller.app.botId, username: input.username ?? caller.app.name, icons },
  };
}
