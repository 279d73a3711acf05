import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { ReactionLists } from './reaction-lists.service.js';
import { ReactionsAddArgs, ReactionsGetArgs, ReactionsListArgs, ReactionsRemoveArgs } from './reactions.dto.js';
import { ReactionsService } from './reactions.service.js';

@Controller()
export class ReactionsController {
  constructor(
    private readonly reactions: ReactionsService,
    private readonly lists: ReactionLists,
  ) {}

  @RpcMethod('reactions.add')
  @RequireScope('reactions:write')
  @RateTier(3)
  add(@CallerOf() caller: Caller, @RpcArgs() args: ReactionsAddArgs): Promise<void> {
    return this.reactions.add(caller, args);
  }

  @RpcMethod('reactions.remove')
  @RequireScope('reactions:write')
  @RateTier(2)
  remove(@CallerOf() caller: Caller, @RpcArgs() args: ReactionsRemoveArgs): Promise<void> {
    return this.reactions.remove(caller, args);
  }

  @RpcMethod('reactions.get', { core: false })
  @RequireScope('reactions:read')
  @RateTier(3)
  get(@CallerOf() caller: Caller, @RpcArgs() args: ReactionsGetArgs): Promise<Answer> {
    return this.lists.get(caller, args);
  }

  @RpcMethod('reactions.list', { core: false })
  @RequireScope('reactions:read')
  @RateTier(2)
  list(@CallerOf() caller: Caller, @RpcArgs() args: ReactionsListArgs): Promise<Answer> {
    return this.lists.list(caller, args);
  }
}
