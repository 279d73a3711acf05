import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { AppsEventAuthorizationsListArgs } from './event-authorizations.dto.js';
import { EventAuthorizations } from './event-authorizations.service.js';

/** docs/reference/events.md#authorizations */
@Controller()
export class EventAuthorizationsController {
  constructor(private readonly authorizations: EventAuthorizations) {}

  @RpcMethod('apps.event.authorizations.list', { core: false, tokens: ['app'], inHeader: true })
  @RequireScope(null)
  @RateTier(4)
  list(@CallerOf() caller: Caller, @RpcArgs() args: AppsEventAuthorizationsListArgs): Promise<Answer> {
    return this.authorizations.list(caller, args);
  }
}
