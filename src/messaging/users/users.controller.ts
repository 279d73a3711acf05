import { Controller } from '@nestjs/common';
import type { Caller } from '../model/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import {
  UsersInfoArgs,
  UsersListArgs,
  UsersProfileGetArgs,
  UsersProfileSetArgs,
  UsersSetPresenceArgs,
} from './users.dto.js';
import { UsersService } from './users.service.js';

@Controller()
export class UsersController {
  constructor(private readonly users: UsersService) {}

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
}
