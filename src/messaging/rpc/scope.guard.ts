import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { MessagingError } from '../model/codes.js';
import { missingScope } from '../model/conversation-access.js';
import type { RpcCall, RpcRequest } from './contract.js';
import { MethodRegistry } from './method-registry.js';

/** Steps 3 and 4 of A.5: the token holds a scope the method accepts for some type, and is of an accepted kind. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(
    private readonly methods: MethodRegistry,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<RpcRequest>().rpc as RpcCall;
    if (caller.kind === 'jwt') return true;
    const method = this.methods.of(context.getHandler());
    const accepted = method.accepts[caller.kind];
    if (accepted && !accepted.some((scope) => caller.scopes.includes(scope)))
      throw missingScope(accepted, caller.scopes);
    if (this.settings.strictTokenTypes && method.usersOnlyWhenStrict && caller.kind === 'bot') {
      throw new MessagingError('not_allowed_token_type');
    }
    return true;
  }
}
