import { Controller } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import { AssistantThreads, type AssistantPlace } from '../store/assistant-threads.js';
import { MessagingError } from '../wire/codes.js';
import {
  AssistantThreadsSetStatusArgs,
  AssistantThreadsSetSuggestedPromptsArgs,
  AssistantThreadsSetTitleArgs,
} from './assistant.dto.js';
import { Message } from '../store/message.entity.js';

@Controller()
export class AssistantController {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly conversations: ConversationAccess,
    private readonly threads: AssistantThreads,
  ) {}

  @RpcMethod('assistant.threads.setStatus', { core: false })
  @RequireScope(['assistant:write', 'chat:write'])
  @RateTier(4)
  async setStatus(@CallerOf() caller: Caller, @RpcArgs() args: AssistantThreadsSetStatusArgs): Promise<void> {
    const place = await this.place(caller, args.channel_id, args.thread_ts);
    await this.threads.setStatus(place, args.status, args.loading_messages ?? []);
  }

  @RpcMethod('assistant.threads.setTitle', { core: false })
  @RequireScope('assistant:write')
  @RateTier(4)
  async setTitle(@CallerOf() caller: Caller, @RpcArgs() args: AssistantThreadsSetTitleArgs): Promise<void> {
    await this.threads.setTitle(await this.place(caller, args.channel_id, args.thread_ts), args.title);
  }

  @RpcMethod('assistant.threads.setSuggestedPrompts', { core: false })
  @RequireScope('assistant:write')
  @RateTier(4)
  async setSuggestedPrompts(
    @CallerOf() caller: Caller,
    @RpcArgs() args: AssistantThreadsSetSuggestedPromptsArgs,
  ): Promise<void> {
    const place = await this.place(caller, args.channel_id, args.thread_ts);
    await this.threads.setPrompts(place, args.prompts, args.title ?? null);
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
