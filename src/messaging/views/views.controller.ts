import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { toWireView } from '../wire/view-wire.js';
import { ViewsOpenArgs, ViewsPublishArgs, ViewsPushArgs, ViewsUpdateArgs } from './views.dto.js';
import { ViewsService } from './views.service.js';

@Controller()
export class ViewsController {
  constructor(private readonly views: ViewsService) {}

  @RpcMethod('views.open', { core: false })
  @RequireScope(null, { appTokensOnly: true })
  @RateTier(4)
  async open(@CallerOf() caller: Caller, @RpcArgs() args: ViewsOpenArgs): Promise<Answer> {
    return { view: toWireView(await this.views.open(caller, args)) };
  }

  @RpcMethod('views.push', { core: false })
  @RequireScope(null, { appTokensOnly: true })
  @RateTier(4)
  async push(@CallerOf() caller: Caller, @RpcArgs() args: ViewsPushArgs): Promise<Answer> {
    return { view: toWireView(await this.views.push(caller, args)) };
  }

  @RpcMethod('views.update', { core: false })
  @RequireScope(null, { appTokensOnly: true })
  @RateTier(4)
  async update(@CallerOf() caller: Caller, @RpcArgs() args: ViewsUpdateArgs): Promise<Answer> {
    return { view: toWireView(await this.views.update(caller, args)) };
  }

  @RpcMethod('views.publish', { core: false })
  @RequireScope(null, { appTokensOnly: true })
  @RateTier(4)
  async publish(@CallerOf() caller: Caller, @RpcArgs() args: ViewsPublishArgs): Promise<Answer> {
    return { view: toWireView(await this.views.publish(caller, args)) };
  }
}
