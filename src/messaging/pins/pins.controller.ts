import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { PinsAddArgs, PinsListArgs, PinsRemoveArgs } from './pins.dto.js';
import { PinsService } from './pins.service.js';

@Controller()
export class PinsController {
  constructor(private readonly pins: PinsService) {}

  @RpcMethod('pins.add', { core: false })
  @RequireScope('pins:write')
  @RateTier(2)
  add(@CallerOf() caller: Caller, @RpcArgs() args: PinsAddArgs): Promise<void> {
    return this.pins.add(caller, args);
  }

  @RpcMethod('pins.remove', { core: false })
  @RequireScope('pins:write')
  @RateTier(2)
  remove(@CallerOf() caller: Caller, @RpcArgs() args: PinsRemoveArgs): Promise<void> {
    return this.pins.remove(caller, args);
  }

  @RpcMethod('pins.list', { core: false })
  @RequireScope('pins:read')
  @RateTier(2)
  list(@CallerOf() caller: Caller, @RpcArgs() args: PinsListArgs): Promise<Answer> {
    return this.pins.list(caller, args);
  }
}
