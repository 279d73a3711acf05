import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { MessagingError } from '../wire/codes.js';
import type { Identity } from '../access/identity.js';
import { missingScope } from '../access/conversation-access.js';
import type { RpcCall, RpcRequest } from './rpc-call.js';
import { MethodRegistry, type Method } from './method-registry.js';

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
    const refusal = caller && refusalOf(this.methods.of(context.getHandler()), caller, this.settings);
    if (refusal) throw refusal;
    return true;
  }
}

/** Why a caller may not call a method, wherever the call leads. */
export function refusalOf(
  method: Method,
  caller: Identity,
  settings: Pick<Settings, 'strictTokenTypes'>,
): MessagingError | undefined {
  if (caller.kind === 'jwt' && method.appTokensOnly) return new MessagingError('not_allowed_token_type');
  if ((caller.kind !== 'bot' && caller.kind !== 'user') || method.isAnonymous) return undefined;
  const accepted = method.accepts[caller.kind];
  if (accepted && !accepted.some((scope) => caller.scopes.includes(scope)))
    return missingScope(accepted, caller.scopes);
  if (settings.strictTokenTypes && method.usersOnlyWhenStrict && caller.kind === 'bot') {
    return new MessagingError('not_allowed_token_type');
  }
  return undefined;
}
