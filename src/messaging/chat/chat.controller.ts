import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { formatTs } from '../store/message-ts.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import {
  ChatDeleteArgs,
  ChatGetPermalinkArgs,
  ChatMeMessageArgs,
  ChatPostMessageArgs,
  ChatUpdateArgs,
} from './chat.dto.js';
import { ChatService } from './chat.service.js';
import { ChatPostEphemeralArgs } from './ephemeral.dto.js';
import { EphemeralPosts } from './ephemeral.service.js';
import { Permalinks } from './permalinks.service.js';
import { Revisions } from './revisions.service.js';

import {
  ChatDeleteScheduledMessageArgs,
  ChatScheduledMessagesListArgs,
  ChatScheduleMessageArgs,
} from './scheduled.dto.js';
import { ScheduledMessages } from './scheduled.service.js';
import { ChatUnfurlArgs } from './unfurl.dto.js';
import { Unfurls } from './unfurl.service.js';

@Controller()
export class ChatController {
  constructor(
    private readonly chat: ChatService,
    private readonly revisions: Revisions,
    private readonly ephemeral: EphemeralPosts,
    private readonly scheduled: ScheduledMessages,
    private readonly permalinks: Permalinks,
    private readonly unfurls: Unfurls,
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

  @RpcMethod('chat.postEphemeral', { core: false })
  @RequireScope('chat:write')
  @RateTier(4)
  async postEphemeral(@CallerOf() caller: Caller, @RpcArgs() args: ChatPostEphemeralArgs): Promise<Answer> {
    const ts = await this.ephemeral.post(caller, args);
    return { message_ts: ts, ...(args.truncated ? { warning: 'message_truncated' } : {}) };
  }

  @RpcMethod('chat.meMessage', { core: false })
  @RequireScope('chat:write')
  @RateTier(3)
  async meMessage(@CallerOf() caller: Caller, @RpcArgs() args: ChatMeMessageArgs): Promise<Answer> {
    return { channel: args.channel, ts: await this.chat.meMessage(caller, args) };
  }

  @RpcMethod('chat.getPermalink', { core: false })
  @RequireScope(null)
  @RateTier(4)
  async getPermalink(@CallerOf() caller: Caller, @RpcArgs() args: ChatGetPermalinkArgs): Promise<Answer> {
    return { channel: args.channel, permalink: await this.permalinks.of(caller, args.channel, args.message_ts) };
  }

  @RpcMethod('chat.scheduleMessage', { core: false })
  @RequireScope('chat:write')
  @RateTier(3)
  scheduleMessage(@CallerOf() caller: Caller, @RpcArgs() args: ChatScheduleMessageArgs): Promise<Answer> {
    return this.scheduled.schedule(caller, args);
  }

  @RpcMethod('chat.scheduledMessages.list', { core: false })
  @RequireScope(null)
  @RateTier(3)
  scheduledMessages(@CallerOf() caller: Caller, @RpcArgs() args: ChatScheduledMessagesListArgs): Promise<Answer> {
    return this.scheduled.list(caller, args);
  }

  @RpcMethod('chat.deleteScheduledMessage', { core: false })
  @RequireScope('chat:write')
  @RateTier(3)
  deleteScheduledMessage(@CallerOf() caller: Caller, @RpcArgs() args: ChatDeleteScheduledMessageArgs): Promise<void> {
    return this.scheduled.delete(caller, args);
  }

  @RpcMethod('chat.unfurl', { core: false })
  @RequireScope('links:write')
  @RateTier(3)
  unfurl(@CallerOf() caller: Caller, @RpcArgs() args: ChatUnfurlArgs): Promise<void> {
    return this.unfurls.add(caller, args);
  }
}
