import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import {
  AssistantThreadsSetStatusArgs,
  AssistantThreadsSetSuggestedPromptsArgs,
  AssistantThreadsSetTitleArgs,
} from './assistant.dto.js';
import { Assistant } from './assistant.service.js';

@Controller()
export class AssistantController {
  constructor(private readonly assistant: Assistant) {}

  @RpcMethod('assistant.threads.setStatus', { core: false })
  @RequireScope(['assistant:write', 'chat:write'])
  @RateTier(4)
  async setStatus(@CallerOf() caller: Caller, @RpcArgs() args: AssistantThreadsSetStatusArgs): Promise<void> {
    await this.assistant.setStatus(caller, args);
  }

  @RpcMethod('assistant.threads.setTitle', { core: false })
  @RequireScope('assistant:write')
  @RateTier(4)
  async setTitle(@CallerOf() caller: Caller, @RpcArgs() args: AssistantThreadsSetTitleArgs): Promise<void> {
    await this.assistant.setTitle(caller, args);
  }

  @RpcMethod('assistant.threads.setSuggestedPrompts', { core: false })
  @RequireScope('assistant:write')
  @RateTier(4)
  async setSuggestedPrompts(
    @CallerOf() caller: Caller,
    @RpcArgs() args: AssistantThreadsSetSuggestedPromptsArgs,
  ): Promise<void> {
    await this.assistant.setSuggestedPrompts(caller, args);
  }
}
