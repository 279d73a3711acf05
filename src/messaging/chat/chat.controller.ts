import { Controller } from '@nestjs/common';
import type { Caller } from '../model/conversation-access.js';
import { formatTs } from '../model/message-ts.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { ChatDeleteArgs, ChatPostMessageArgs, ChatUpdateArgs } from './chat.dto.js';
import { ChatService } from './chat.service.js';
import { Revisions } from './revisions.service.js';

@Controller()
export class ChatController {
  constructor(
    private readonly chat: ChatService,
    private readonly revisions: Revisions,
  ) {}

  @RpcMethod('chat.postMessage')
  @RequireScope('chat:write')
  @RateTier('special')
  async postMessage(@CallerOf() caller: Caller, @RpcArgs() args: ChatPostMessageArgs): Promise<Answer> {
    const { channel, ts, message } = await this.chat.postMessage(caller, args);
    return { channel, ts, message, ...(args.truncated ? { warning: 'message_truncated' } : {}) };
  }

  @RpcMethod('chat.update')
  @RequireScope('chat:write')
  @RateTier(3)
  async update(@CallerOf() caller: Caller, @RpcArgs() args: ChatUpdateArgs): Promise<Answer> {
    const { text, message } = await this.revisions.update(caller, args);
    return { channel: args.channel, ts: formatTs(args.ts), text, message };
  }

  @RpcMethod('chat.delete')
  @RequireScope('chat:write')
  @RateTier(3)
  async delete(@CallerOf() caller: Caller, @RpcArgs() args: ChatDeleteArgs): Promise<Answer> {
    await this.revisions.delete(caller, args);
    return { channel: args.channel, ts: formatTs(args.ts) };
  }
}
