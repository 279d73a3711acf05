import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { eventPlaceOf, type EventPlace } from '../events/chat-events.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { DirectMessages } from '../members/direct-messages.js';
import { authorIds, holdsScope, type VisibleConversation } from '../access/identity.js';
import type { Draft } from '../messages/draft.js';
import { MessageLog } from '../messages/message-log.js';
import { Posts } from '../messages/posts.js';
import { Replies, type Reply } from '../messages/replies.js';
import {
  closeWire,
  openWire,
  withMetadata,
  withMore,
  type MessageAuthor,
  type MessageContent,
} from '../wire/message-wire.js';
import { formatTs } from '../store/message-ts.js';
import { iconsOf } from '../wire/emoji-pictures.js';
import { linkText } from '../wire/link-text.js';
import { toMrkdwn } from '../wire/markdown.js';
import { plainReading } from '../wire/plain-reading.js';
import { truncateText } from '../wire/text.js';
import { MAX_TEXT } from './chat.dto.js';
import { NameLinks } from './name-links.js';
import type { Posted } from './posted.js';
import { RepeatedPosts } from './repeated-posts.js';
import { WireText } from '../rpc/wire-text.js';

/** A post as any family may request it; its content is already validated. */
export interface PostRequest {
  readonly author: MessageAuthor;
  readonly content: MessageContent & { metadata?: object | undefined };
  /** The user who must be a member of the conversation; null: none. */
  readonly memberId: string | null;
  /** Microseconds; one that names no message is ignored (chat.postMessage, thread_ts). */
  readonly threadTs?: number | undefined;
  readonly broadcast?: boolean | undefined;
  /** For a message that is neither a broadcast nor customised. */
  readonly subtype?: 'me_message' | 'file_share' | undefined;
  /** Further parts of the message that depend on its ts (a file's shares); inside a transaction only. */
  readonly attach?: ((ts: string) => object) | undefined;
  /** No `link_shared` event is sent for its links. */
  readonly hidesLinks?: boolean | undefined;
  /** Apps are told of its mentions and links when it is complete. */
  readonly isUnfinished?: boolean | undefined;
  /** The author's ids as a reader (`authorIds`), for `subscribed` in the answer; absent: none. */
  readonly viewer?: readonly string[] | undefined;
}

/** How links in a text are made (`parse`, `link_names`, `mrkdwn`). */
export interface LinkReading {
  /** Not at all. */
  readonly asSent: boolean;
  /** `#name` and `@name` too. */
  readonly names: boolean;
}

/** Content as the caller sent it. */
export interface ContentInput {
  text?: string | undefined;
  blocks?: unknown[] | undefined;
  attachments?: unknown[] | undefined;
  metadata?: object | undefined;
  markdown_text?: string | undefined;
  /** How links in the text are made. */
  links?: LinkReading | undefined;
}

/** The name and icon that the caller asks for. */
export interface DisguiseInput {
  username?: string | undefined;
  icon_emoji?: string | undefined;
  icon_url?: string | undefined;
}

/** Arguments of chat.postMessage that decide where and as whom. */
export interface PostMessageInput extends ContentInput, DisguiseInput {
  channel: string;
  thread_ts?: number | undefined;
  reply_broadcast?: boolean | undefined;
  /** No `link_shared` event is sent for its links. */
  hidesLinks?: boolean | undefined;
  /** The same again within an hour is the same message. */
  client_msg_id?: string | undefined;
}

/** Posts messages, for chat.postMessage and for other families. */
@Injectable()
export class ChatService {
  constructor(
    private readonly db: Db,
    private readonly conversations: ConversationAccess,
    private readonly directMessages: DirectMessages,
    private readonly log: MessageLog,
    private readonly posts: Posts,
    private readonly replies: Replies,
    private readonly publicUrl: PublicUrl,
    private readonly names: NameLinks,
    private readonly repeated: RepeatedPosts,
  ) {}

  async postMessage(caller: Caller, input: PostMessageInput): Promise<Posted & { channel: string }> {
    const { conversation, memberId } = await this.destination(caller, input.channel);
    const place = eventPlaceOf(caller, conversation);
    const request: PostRequest = {
      author: authorOf(caller, input, this.baseUrl),
      content: await this.content(caller, input),
      memberId,
      threadTs: input.thread_ts,
      broadcast: input.reply_broadcast,
      hidesLinks: input.hidesLinks,
      viewer: authorIds(caller),
    };
    const { client_msg_id: clientMsgId } = input;
    const key = { conversationId: conversation.id, authorId: caller.userId };
    const posted = await (clientMsgId === undefined || clientMsgId === ''
      ? this.post(place, request)
      : this.repeated.once({ ...key, clientMsgId }, (tx) => this.postIn(tx, place, request)));
    return { channel: conversation.id, ...posted };
  }

  /** Posts a `/me` message: chat.meMessage. Returns its ts. */
  async meMessage(caller: Caller, args: { channel: string; text: string }): Promise<string> {
    const conversation = await this.conversations.visible(caller, args.channel);
    if (conversation.isArchived) throw new MessagingError('is_archived');
    if (!conversation.isMember) throw new MessagingError('not_in_channel');
    const { ts } = await this.post(eventPlaceOf(caller, conversation), {
      author: authorOf(caller, {}, this.baseUrl),
      content: await this.content(caller, { text: args.text }),
      memberId: caller.userId,
      subtype: 'me_message',
    });
    return ts;
  }

  /** Base of every URL in messages. */
  get baseUrl(): string {
    return this.publicUrl.base;
  }

  /** The stored form of a caller's content. */
  async content(caller: Caller, input: ContentInput): Promise<PostRequest['content']> {
    const text = storedText(input);
    return {
      text:
        text === ''
          ? truncateText(plainReading(input.blocks ?? []), MAX_TEXT)
          : await this.names.linked(caller, text, input.links?.names ?? false),
      blocks: input.blocks,
      attachments: input.attachments,
      metadata: input.metadata,
    };
  }

  /**
   * The user who must be a member when this caller posts there; null: none (chat:write.public).
   * @throws MessagingError is_archived, not_in_channel
   */
  requirePostable(caller: Caller, conversation: VisibleConversation): string | null {
    const isPublic = conversation.type === 'public';
    const uninvited = isPublic && caller.kind === 'bot' && holdsScope(caller, 'chat:write.public');
    if (conversation.isArchived) throw new MessagingError('is_archived');
    if (!conversation.isMember && !uninvited) throw new MessagingError('not_in_channel');
    return uninvited ? null : caller.userId;
  }

  /**
   * The conversation of a post, given as an id, a name, or a user (docs/reference/chat.md#resolving-a-conversation).
   * @throws MessagingError channel_not_found, cannot_dm_bot, is_archived, not_in_channel
   */
  async destination(
    caller: Caller,
    channel: string,
  ): Promise<{ conversation: VisibleConversation; memberId: string | null }> {
    const conversation = await this.conversationOf(caller, channel);
    return { conversation, memberId: this.requirePostable(caller, conversation) };
  }

  /**
   * Stores a message and records its event. Posts and plain replies share statements with concurrent ones.
   * @throws MessagingError channel_not_found, is_archived, not_in_channel, cannot_reply_to_message
   */
  async post(place: EventPlace, request: PostRequest): Promise<Posted> {
    if (request.threadTs !== undefined) {
      const reply = await this.reply(place, request, request.threadTs);
      if (reply) return reply;
    }
    const draft = this.draft(place, request);
    const ts = await this.posts.post({ ...place, draft, memberId: request.memberId });
    return postedAt(ts, draft);
  }

  /** The same inside a transaction, for a post that belongs to other changes. */
  async postIn(tx: Tx, place: EventPlace, request: PostRequest): Promise<Posted> {
    if (request.threadTs !== undefined) {
      const reply = await this.replyIn(tx, place, request, request.threadTs);
      if (reply) return reply;
    }
    const draft = this.draft(place, request);
    const ts = await this.posts.postIn(tx, { ...place, draft, memberId: request.memberId });
    return postedAt(ts, draft);
  }

  /** Null when the parent does not exist: the message is then posted at top level (Slack). */
  private async reply(place: EventPlace, request: PostRequest, threadTs: number): Promise<Posted | null> {
    if (request.broadcast) return this.db.write((tx) => this.replyIn(tx, place, request, threadTs));
    const reply = await this.replies.post(this.replyOf(place, request, threadTs));
    return reply && postedAt(reply.ts, reply.draft);
  }

  private async replyIn(tx: Tx, place: EventPlace, request: PostRequest, threadTs: number): Promise<Posted | null> {
    const reply = await this.replies.postIn(tx, this.replyOf(place, request, threadTs));
    if (!reply || !request.broadcast) return reply && postedAt(reply.ts, reply.draft);
    const seen = await this.log.seen(tx, place.conversation.id, reply.ts, request.viewer ?? []);
    return { ts: formatTs(reply.ts), message: new WireText(withMetadata(seen, reply.draft.metadata)) };
  }

  private replyOf(place: EventPlace, request: PostRequest, threadTs: number): Reply {
    const { memberId, broadcast = false } = request;
    return { ...place, threadTs, memberId, broadcast, draftOf: (thread) => this.draft(place, request, thread) };
  }

  /** A message as it will be stored, without its ts. */
  draft(place: EventPlace, request: PostRequest, thread?: { ts: string; parentUserId: string | null }): Draft {
    const { content } = request;
    const isBroadcast = thread !== undefined && request.broadcast === true;
    const subtype = isBroadcast ? 'thread_broadcast' : request.author.custom ? 'bot_message' : request.subtype;
    // clients know their own bot by `user`, and by `bot_id` on a bot_message only (docs/reference/chat.md#clients), so
    // only that goes without
    const author = subtype === 'bot_message' ? { ...request.author, user: undefined } : request.author;
    const { workspaceId } = place;
    const open = openWire({ workspaceId, publicUrl: this.publicUrl.base, author, content, subtype, thread });
    return {
      userId: author.user ?? null,
      botId: author.custom?.botId ?? author.app?.botId ?? null,
      subtype: subtype ?? null,
      text: content.text,
      open: request.attach ? withMore(open, request.attach) : open,
      metadata: content.metadata === undefined ? null : JSON.stringify(content.metadata),
      hidesLinks: request.hidesLinks,
      isUnfinished: request.isUnfinished,
    };
  }

  /**
   * An id, a name, or a user: the DM with that user is made when it is missing
   * (docs/reference/chat.md#resolving-a-conversation).
   */
  private async conversationOf(caller: Caller, channel: string): Promise<VisibleConversation> {
    const conversation = await this.conversations.findByIdOrName(caller, channel);
    if (conversation) return conversation;
    if (!/^U0[0-9A-Z]{9}$/.test(channel)) throw new MessagingError('channel_not_found');
    if (caller.isBot && channel === caller.userId) throw new MessagingError('cannot_dm_bot');
    try {
      return (await this.directMessages.open(caller, [channel])).conversation;
    } catch (error) {
      const isNobody =
        error instanceof MessagingError && (error.code === 'user_not_found' || error.code === 'user_disabled');
      throw isNobody ? new MessagingError('channel_not_found') : error;
    }
  }
}

/** A message as its author sees it. @param micros its ts */
function postedAt(micros: number, { open, metadata }: Draft): Posted {
  const ts = formatTs(micros);
  return { ts, message: new WireText(withMetadata(closeWire(open, ts), metadata)) };
}

/**
 * A bot token writes as the app, customised if requested and allowed; everyone else as the user
 * (docs/reference/chat.md#messages).
 */
export function authorOf(caller: Caller, input: DisguiseInput, baseUrl: string): MessageAuthor {
  if (caller.kind !== 'bot' || !caller.app) return { user: caller.userId };
  const wanted = input.username !== undefined || input.icon_emoji !== undefined || input.icon_url !== undefined;
  if (!wanted || !holdsScope(caller, 'chat:write.customize')) return { user: caller.userId, app: caller.app };
  const icons = iconsOf({ emoji: input.icon_emoji, url: input.icon_url }, baseUrl);
  return {
    user: caller.userId,
    app: caller.app,
    custom: { botId: caller.app.botId, username: input.username ?? caller.app.name, icons },
  };
}

/** The stored form of a text: links marked up, Markdown converted to mrkdwn. */
export function storedText(input: Pick<ContentInput, 'text' | 'markdown_text' | 'links'>): string {
  if (input.markdown_text !== undefined) return linkText(toMrkdwn(input.markdown_text));
  const text = input.text ?? '';
  return input.links?.asSent ? text : linkText(text);
}
