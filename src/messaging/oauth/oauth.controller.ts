import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import type { RpcRequest } from '../rpc/rpc-call.js';
import { OauthAccess } from './access.service.js';
import { AppsUninstallArgs, AuthRevokeArgs } from './oauth.dto.js';
import { Revocation } from './revocation.service.js';
import { TokenRotation } from './token-rotation.js';

@Controller()
export class OauthController {
  constructor(
    private readonly oauth: OauthAccess,
    private readonly rotation: TokenRotation,
    private readonly revocation: Revocation,
  ) {}

  @RpcMethod('oauth.v2.access', { core: false, client: true })
  @RequireScope(null)
  @RateTier(4)
  access(@Req() request: RpcRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Answer> {
    return this.oauth.access(request, reply);
  }

  @RpcMethod('oauth.v2.exchange', { core: false, client: true })
  @RequireScope(null)
  @RateTier(4)
  exchange(@Req() request: RpcRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Answer> {
    return this.rotation.exchange(request, reply);
  }

  @RpcMethod('auth.revoke', { core: false, tokens: ['bot', 'user', 'openid', 'refresh', 'config'] })
  @RequireScope(null)
  @RateTier(3)
  async revoke(@CallerOf() caller: Caller, @RpcArgs() { test }: AuthRevokeArgs): Promise<Answer> {
    if (test === true) return { revoked: false };
    await this.revocation.revoke(caller);
    return { revoked: true };
  }

  @RpcMethod('apps.uninstall', { core: false, tokens: ['bot', 'user'] })
  @RequireScope(null)
  @RateTier(3)
  async uninstall(@CallerOf() caller: Caller, @RpcArgs() args: AppsUninstallArgs): Promise<Answer> {
    await this.revocation.uninstall(caller, args.client_id, args.client_secret);
  }
}
