import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { ChannelLifecycle } from './channel-lifecycle.service.js';
import { ChannelList } from './channel-list.service.js';
import {
  ConversationsArchiveArgs,
  ConversationsCloseArgs,
  ConversationsCreateArgs,
  ConversationsHistoryArgs,
  ConversationsInfoArgs,
  ConversationsInviteArgs,
  ConversationsJoinArgs,
  ConversationsKickArgs,
  ConversationsLeaveArgs,
  ConversationsListArgs,
  ConversationsMarkArgs,
  ConversationsMembersArgs,
  ConversationsOpenArgs,
  ConversationsRenameArgs,
  ConversationsRepliesArgs,
  ConversationsSetPurposeArgs,
  ConversationsSetTopicArgs,
  ConversationsUnarchiveArgs,
} from './conversations.dto.js';
import { DirectConversations } from './direct-conversations.service.js';
import { History } from './history.service.js';
import { Membership } from './membership.service.js';

const READ = { public: 'channels:read', private: 'groups:read', im: 'im:read', mpim: 'mpim:read' } as const;
const HISTORY = {
  public: 'channels:history',
  private: 'groups:history',
  im: 'im:history',
  mpim: 'mpim:history',
} as const;
const OPEN = { im: 'im:write', mpim: 'mpim:write' } as const;
/** Bots have a scope of their own for what people do with channels:write. */
const MANAGE = {
  bot: { public: ['channels:manage', 'channels:write'], private: 'groups:write' },
  user: { public: 'channels:write', private: 'groups:write' },
} as const;
const LEAVE = {
  bot: { ...MANAGE.bot, mpim: 'mpim:write' },
  user: { ...MANAGE.user, mpim: 'mpim:write' },
} as const;
const INVITE = {
  bot: { public: ['channels:write.invites', 'channels:manage'], private: ['groups:write.invites', 'groups:write'] },
  user: { public: ['channels:write.invites', 'channels:write'], private: ['groups:write.invites', 'groups:write'] },
} as const;
const LABEL_OTHERS = {
  private: ['groups:write.topic', 'groups:write'],
  im: ['im:write.topic', 'im:write'],
  mpim: ['mpim:write.topic', 'mpim:write'],
} as const;
const LABEL = {
  bot: { public: ['channels:write.topic', 'channels:manage'], ...LABEL_OTHERS },
  user: { public: ['channels:write.topic', 'channels:write'], ...LABEL_OTHERS },
} as const;
const MARK = {
  bot: { ...MANAGE.bot, im: 'im:write', mpim: 'mpim:write' },
  user: { ...MANAGE.user, im: 'im:write', mpim: 'mpim:write' },
} as const;
const JOIN = { bot: { public: 'channels:join' }, user: { public: 'channels:write' } } as const;

@Controller()
export class ConversationsController {
  constructor(
    private readonly channels: ChannelList,
    private readonly lifecycle: ChannelLifecycle,
    private readonly membership: Membership,
    private readonly direct: DirectConversations,
    private readonly messages: History,
  ) {}

  @RpcMethod('conversations.list')
  @RequireScope(READ)
  @RateTier(4)
  list(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsListArgs): Promise<Answer> {
    return this.channels.list(caller, args);
  }

  @RpcMethod('conversations.create')
  @RequireScope(MANAGE)
  @RateTier(2)
  create(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsCreateArgs): Promise<Answer> {
    return this.lifecycle.create(caller, args);
  }

  @RpcMethod('conversations.info')
  @RequireScope(READ)
  @RateTier(4)
  info(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsInfoArgs): Promise<Answer> {
    return this.channels.info(caller, args);
  }

  @RpcMethod('conversations.history')
  @RequireScope(HISTORY)
  @RateTier(4)
  history(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsHistoryArgs): Promise<Answer> {
    return this.messages.page(caller, args);
  }

  @RpcMethod('conversations.replies')
  @RequireScope(HISTORY)
  @RateTier(4)
  replies(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsRepliesArgs): Promise<Answer> {
    return this.messages.replies(caller, args);
  }

  @RpcMethod('conversations.members')
  @RequireScope(READ)
  @RateTier(3)
  members(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsMembersArgs): Promise<Answer> {
    return this.channels.members(caller, args);
  }

  @RpcMethod('conversations.join')
  @RequireScope(JOIN)
  @RateTier(3)
  join(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsJoinArgs): Promise<Answer> {
    return this.membership.join(caller, args);
  }

  @RpcMethod('conversations.leave')
  @RequireScope(LEAVE)
  @RateTier(3)
  leave(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsLeaveArgs): Promise<Answer> {
    return this.membership.leave(caller, args);
  }

  @RpcMethod('conversations.archive')
  @RequireScope(MANAGE)
  @RateTier(2)
  archive(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsArchiveArgs): Promise<Answer> {
    return this.lifecycle.archive(caller, args);
  }

  @RpcMethod('conversations.invite')
  @RequireScope(INVITE)
  @RateTier(3)
  invite(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsInviteArgs): Promise<Answer> {
    return this.membership.invite(caller, args);
  }

  @RpcMethod('conversations.kick')
  @RequireScope(MANAGE)
  @RateTier(3)
  kick(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsKickArgs): Promise<Answer> {
    return this.membership.kick(caller, args);
  }

  @RpcMethod('conversations.rename')
  @RequireScope(MANAGE)
  @RateTier(2)
  rename(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsRenameArgs): Promise<Answer> {
    return this.lifecycle.rename(caller, args);
  }

  @RpcMethod('conversations.setTopic')
  @RequireScope(LABEL)
  @RateTier(2)
  setTopic(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsSetTopicArgs): Promise<Answer> {
    return this.lifecycle.setLabel(caller, args.channel, 'topic', args.topic);
  }

  @RpcMethod('conversations.setPurpose')
  @RequireScope(LABEL)
  @RateTier(2)
  setPurpose(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsSetPurposeArgs): Promise<Answer> {
    return this.lifecycle.setLabel(caller, args.channel, 'purpose', args.purpose);
  }

  @RpcMethod('conversations.open')
  @RequireScope(OPEN)
  @RateTier(3)
  open(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsOpenArgs): Promise<Answer> {
    return this.direct.open(caller, args);
  }

  @RpcMethod('conversations.unarchive', { core: false })
  @RequireScope(MANAGE)
  @RateTier(2)
  unarchive(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsUnarchiveArgs): Promise<void> {
    return this.lifecycle.unarchive(caller, args);
  }

  @RpcMethod('conversations.close', { core: false })
  @RequireScope(OPEN)
  @RateTier(2)
  close(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsCloseArgs): Promise<Answer> {
    return this.direct.close(caller, args);
  }

  @RpcMethod('conversations.mark', { core: false })
  @RequireScope(MARK)
  @RateTier(3)
  mark(@CallerOf() caller: Caller, @RpcArgs() args: ConversationsMarkArgs): Promise<void> {
    return this.channels.mark(caller, args);
  }
}
