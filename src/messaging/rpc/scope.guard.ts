import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { MessagingError } from '../wire/codes.js';
import { missingScope } from '../access/conversation-access.js';
import type { RpcCall, RpcRequest } from './contract.js';
import { MethodRegistry } from './method-registry.js';

/**
 * Steps 3 and 4 of docs/reference/chat.md#order-of-checks: the token holds a scope the method accepts for some type,
 * and is of an accepted kind.
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(
    private readonly methods: MethodRegistry,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<RpcRequest>().rpc as RpcCall;
    const method = this.methods.of(context.getHandler());
    if (caller?.kind === 'jwt' && method.appTokensOnly) throw new MessagingError('not_allowed_token_type');
    if (!caller || caller.kind === 'jwt' || caller.kind === 'app' || method.isAnonymous) return true;
    const accepted = method.accepts[caller.kind];
    if (accepted && !accepted.some((scope) => caller.scopes.includes(scope)))
      throw missingScope(accepted, caller.scopes);
    if (this.settings.strictTokenTypes && method.usersOnlyWhenStrict && caller.kind === 'bot') {
      throw new MessagingError('not_allowed_token_type');
    }
    return true;
  }
}
