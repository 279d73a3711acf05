import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import {
  UsergroupsCreateArgs,
  UsergroupsDisableArgs,
  UsergroupsEnableArgs,
  UsergroupsListArgs,
  UsergroupsUpdateArgs,
  UsergroupsUsersListArgs,
  UsergroupsUsersUpdateArgs,
} from './usergroups.dto.js';
import { UsergroupsService } from './usergroups.service.js';

@Controller()
export class UsergroupsController {
  constructor(private readonly usergroups: UsergroupsService) {}

  @RpcMethod('usergroups.create', { core: false })
  @RequireScope('usergroups:write')
  @RateTier(2)
  create(@CallerOf() caller: Caller, @RpcArgs() args: UsergroupsCreateArgs): Promise<Answer> {
    return this.usergroups.create(caller, args);
  }

  @RpcMethod('usergroups.update', { core: false })
  @RequireScope('usergroups:write')
  @RateTier(2)
  update(@CallerOf() caller: Caller, @RpcArgs() args: UsergroupsUpdateArgs): Promise<Answer> {
    return this.usergroups.update(caller, args);
  }

  @RpcMethod('usergroups.disable', { core: false })
  @RequireScope('usergroups:write')
  @RateTier(2)
  disable(@CallerOf() caller: Caller, @RpcArgs() args: UsergroupsDisableArgs): Promise<Answer> {
    return this.usergroups.setEnabled(caller, args, false);
  }

  @RpcMethod('usergroups.enable', { core: false })
  @RequireScope('usergroups:write')
  @RateTier(2)
  enable(@CallerOf() caller: Caller, @RpcArgs() args: UsergroupsEnableArgs): Promise<Answer> {
    return this.usergroups.setEnabled(caller, args, true);
  }

  @RpcMethod('usergroups.list', { core: false })
  @RequireScope('usergroups:read')
  @RateTier(2)
  list(@CallerOf() caller: Caller, @RpcArgs() args: UsergroupsListArgs): Promise<Answer> {
    return this.usergroups.list(caller, args);
  }

  @RpcMethod('usergroups.users.list', { core: false })
  @RequireScope('usergroups:read')
  @RateTier(2)
  users(@CallerOf() caller: Caller, @RpcArgs() args: UsergroupsUsersListArgs): Promise<Answer> {
    return this.usergroups.usersOf(caller, args);
  }

  @RpcMethod('usergroups.users.update', { core: false })
  @RequireScope('usergroups:write')
  @RateTier(2)
  updateUsers(@CallerOf() caller: Caller, @RpcArgs() args: UsergroupsUsersUpdateArgs): Promise<Answer> {
    return this.usergroups.updateUsers(caller, args);
  }
}
