import { Controller } from '@nestjs/common';
import type { Caller } from '../model/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import { ReactionsAddArgs, ReactionsRemoveArgs } from './reactions.dto.js';
import { ReactionsService } from './reactions.service.js';

@Controller()
export class ReactionsController {
  constructor(private readonly reactions: ReactionsService) {}

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
}
