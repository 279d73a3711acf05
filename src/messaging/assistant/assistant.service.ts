import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { holdsScope } from '../access/identity.js';
import { MessageAccess } from '../access/message-access.js';
import { Revisions } from '../chat/revisions.service.js';
import { eventPlaceOf } from '../events/define-chat-event.js';
import { AssistantThreads, type AssistantPlace } from '../messages/assistant-threads.js';
import { Message } from '../store/message.entity.js';
import { MessagingError } from '../wire/codes.js';
import type {
  AssistantThreadsSetStatusArgs,
  AssistantThreadsSetSuggestedPromptsArgs,
  AssistantThreadsSetTitleArgs,
} from './assistant.dto.js';

/** assistant.threads.* (docs/reference/chat.md#assistant-threads). */
@Injectable()
export class Assistant {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly conversations: ConversationAccess,
    private readonly messages: MessageAccess,
    private readonly threads: AssistantThreads,
    private readonly revisions: Revisions,
  ) {}

  async setStatus(caller: Caller, args: AssistantThreadsSetStatusArgs): Promise<void> {
    const place = await this.place(caller, args.channel_id, args.thread_ts);
    const mayChoose = holdsScope(caller, 'chat:write.customize');
    await this.threads.setStatus(place, {
      status: args.status,
      loadingMessages: args.loading_messages ?? [],
      ...(mayChoose && { username: args.username, iconEmoji: args.icon_emoji, iconUrl: args.icon_url }),
    });
  }

  /** The first message of a thread with an assistant shows the title. */
  async setTitle(caller: Caller, { channel_id: channel, thread_ts: ts, title }: AssistantThreadsSetTitleArgs) {
    const place = await this.place(caller, channel, ts);
    await this.db.write(async (tx) => {
      await this.threads.setTitle(tx, place, title);
      await this.titleRoot(tx, caller, place, title);
    });
  }

  async setSuggestedPrompts(caller: Caller, args: AssistantThreadsSetSuggestedPromptsArgs): Promise<void> {
    const place = await this.place(caller, args.channel_id, args.thread_ts);
    await this.threads.setPrompts(place, args.prompts, args.title ?? null);
  }

  private async titleRoot(tx: Tx, caller: Caller, place: AssistantPlace, title: string): Promise<void> {
    const { conversationId, threadTs } = place;
    const key = { conversationId, ts: threadTs, subtype: 'assistant_app_thread' };
    if (!(await tx.sql.existsBy(Message, key))) return;
    const conversation = await this.conversations.forUpdate(tx, caller, conversationId);
    const message = await this.messages.forUpdate(tx, conversation, threadTs);
    const wire = JSON.parse(message.wire) as { assistant_app_thread: object };
    const titled = { ...wire, assistant_app_thread: { ...wire.assistant_app_thread, title } };
    await this.revisions.rewire(tx, eventPlaceOf(caller, conversation), message, { wire: JSON.stringify(titled) });
  }

  /** @throws MessagingError channel_not_found, invalid_thread_ts */
  private async place(caller: Caller, channel: string, threadTs: number | undefined): Promise<AssistantPlace> {
    const conversation = await this.conversations.visible(caller, channel);
    const message = { conversationId: conversation.id, ts: threadTs };
    if (threadTs !== undefined && !(await this.db.load((entities) => entities.existsBy(Message, message)))) {
      throw new MessagingError('invalid_thread_ts');
    }
    return {
      tenantId: caller.tenantId,
      workspaceId: caller.workspaceId,
      conversationId: conversation.id,
      threadTs: threadTs ?? 0,
      botId: caller.app?.botId ?? '',
      appId: caller.app?.id ?? null,
      at: this.clock.nowMicros(),
    };
  }
}
