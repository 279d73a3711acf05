import { Controller } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { workspaceUrl } from '../wire/chat-urls.js';
import { AuthTestArgs } from './auth.dto.js';

@Controller()
export class AuthTestController {
  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly clock: Clock,
  ) {}

  @RpcMethod('auth.test', { tokens: ['bot', 'user', 'jwt', 'openid'] })
  @RequireScope(null)
  @RateTier(4)
  test(@CallerOf() caller: Caller, @RpcArgs() _args: AuthTestArgs): Answer {
    return {
      url: `${workspaceUrl(this.publicUrl.base, caller)}/`,
      team: caller.workspaceName,
      user: caller.userName,
      team_id: caller.workspaceId,
      user_id: caller.userId,
      bot_id: caller.kind === 'bot' ? caller.app?.botId : undefined,
      app_id: caller.app?.id,
      app_name: caller.app?.name,
      is_enterprise_install: false,
      expires_in:
        caller.expiresAt === undefined ? undefined : Math.ceil((caller.expiresAt - this.clock.nowMicros()) / 1e6),
    };
  }
}
