import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { formatTs } from '../store/message-ts.js';
import { ChatAppendStreamArgs, ChatStartStreamArgs, ChatStopStreamArgs } from './streams.dto.js';
import { Streams } from './streams.service.js';

@Controller()
export class StreamsController {
  constructor(private readonly streams: Streams) {}

  @RpcMethod('chat.startStream', { core: false, tokens: ['bot'] })
  @RequireScope('chat:write')
  @RateTier(2)
  async start(@CallerOf() caller: Caller, @RpcArgs() args: ChatStartStreamArgs): Promise<Answer> {
    return { channel: args.channel, ts: await this.streams.start(caller, args) };
  }

  @RpcMethod('chat.appendStream', { core: false, tokens: ['bot'] })
  @RequireScope('chat:write')
  @RateTier(4)
  async append(@CallerOf() caller: Caller, @RpcArgs() args: ChatAppendStreamArgs): Promise<Answer> {
    await this.streams.append(caller, args);
    return { channel: args.channel, ts: formatTs(args.ts) };
  }

  @RpcMethod('chat.stopStream', { core: false, tokens: ['bot'] })
  @RequireScope('chat:write')
  @RateTier(2)
  async stop(@CallerOf() caller: Caller, @RpcArgs() args: ChatStopStreamArgs): Promise<Answer> {
    const message = await this.streams.stop(caller, args);
    return { channel: args.channel, ts: formatTs(args.ts), message };
  }
}
