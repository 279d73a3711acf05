import { Injectable, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { currentCall } from '../../kernel/http/call-context.js';
import { Calls } from '../../kernel/http/calls.js';
import type { RpcCall, RpcRequest } from './rpc-call.js';
import { IdentityGuard } from './identity.guard.js';
import { ScopeGuard } from './scope.guard.js';
import { TierGuard } from './tier.guard.js';

/** All that is checked before a method: for a call that began in the name of who is no longer who they were. */
@Injectable()
export class Checks {
  constructor(
    private readonly identity: IdentityGuard,
    private readonly scope: ScopeGuard,
    private readonly tier: TierGuard,
    private readonly calls: Calls,
  ) {}

  /** @throws MessagingError what the guards throw */
  async repeat(context: ExecutionContext): Promise<void> {
    const http = context.switchToHttp();
    const request = http.getRequest<RpcRequest>();
    this.calls.restart(request);
    void http.getResponse<FastifyReply>().removeHeader('X-OAuth-Scopes');
    const { args, bodyError } = request.rpc as RpcCall;
    request.rpc = { args, bodyError, isAgain: true };
    const call = currentCall();
    if (call) call.pending = undefined;
    await this.identity.canActivate(context);
    this.scope.canActivate(context);
    await this.tier.canActivate(context);
  }
}
