import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { UserConversations } from './user-conversations.service.js';
import {
  UsersConversationsArgs,
  UsersGetPresenceArgs,
  UsersInfoArgs,
  UsersListArgs,
  UsersLookupByEmailArgs,
  UsersProfileGetArgs,
  UsersProfileSetArgs,
  UsersSetPresenceArgs,
} from './users.dto.js';
import { UsersService } from './users.service.js';

const READ = { public: 'channels:read', private: 'groups:read', im: 'im:read', mpim: 'mpim:read' } as const;

@Controller()
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly conversationsOf: UserConversations,
  ) {}

  @RpcMethod('users.list')
  @RequireScope('users:read')
  @RateTier(4)
  list(@CallerOf() caller: Caller, @RpcArgs() args: UsersListArgs): Promise<Answer> {
    return this.users.list(caller, args);
  }

  @RpcMethod('users.info')
  @RequireScope('users:read')
  @RateTier(4)
  info(@CallerOf() caller: Caller, @RpcArgs() args: UsersInfoArgs): Promise<Answer> {
    return this.users.info(caller, args);
  }

  @RpcMethod('users.profile.get')
  @RequireScope('users.profile:read')
  @RateTier(4)
  profile(@CallerOf() caller: Caller, @RpcArgs() args: UsersProfileGetArgs): Promise<Answer> {
    return this.users.profile(caller, args);
  }

  @RpcMethod('users.profile.set')
  @RequireScope('users.profile:write', { usersOnlyWhenStrict: true })
  @RateTier(3)
  setProfile(@CallerOf() caller: Caller, @RpcArgs() args: UsersProfileSetArgs): Promise<Answer> {
    return this.users.setProfile(caller, args);
  }

  @RpcMethod('users.setPresence')
  @RequireScope('users:write')
  @RateTier(2)
  setPresence(@CallerOf() caller: Caller, @RpcArgs() args: UsersSetPresenceArgs): Promise<void> {
    return this.users.setPresence(caller, args);
  }

  @RpcMethod('users.lookupByEmail', { core: false })
  @RequireScope('users:read.email')
  @RateTier(3)
  lookupByEmail(@CallerOf() caller: Caller, @RpcArgs() args: UsersLookupByEmailArgs): Promise<Answer> {
    return this.users.byEmail(caller, args);
  }

  @RpcMethod('users.getPresence', { core: false })
  @RequireScope('users:read')
  @RateTier(3)
  presence(@CallerOf() caller: Caller, @RpcArgs() args: UsersGetPresenceArgs): Promise<Answer> {
    return this.users.presence(caller, args);
  }

  @RpcMethod('users.conversations', { core: false })
  @RequireScope(READ)
  @RateTier(3)
  conversations(@CallerOf() caller: Caller, @RpcArgs() args: UsersConversationsArgs): Promise<Answer> {
    return this.conversationsOf.list(caller, args);
  }
}
