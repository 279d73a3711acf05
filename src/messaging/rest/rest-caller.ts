import { applyDecorators, createParamDecorator, SetMetadata, UseFilters, UseGuards } from '@nestjs/common';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { RestError } from '../../kernel/http/http-error.js';
import { cleanText } from '../../kernel/text/clean.js';
import { isAdmin, type CredentialKind, type Identity } from '../model/identity.js';
import { bearer, Credentials } from '../rpc/credentials.js';
import { RestErrorsFilter, toRestError } from './rest-errors.js';

const CALLERS = Symbol('rest:callers');

interface CallerRule {
  readonly kinds: readonly CredentialKind[];
  /** A bot token needs this scope (the only scopes that bind on the control plane). */
  readonly botScope?: string;
  /** Only admins and owners of the workspace. */
  readonly admin?: boolean;
}

type RestRequest = FastifyRequest & { caller?: Identity };

/** Who is calling, and whether this route is for them (messaging.md E: 401, 403; 404 for a foreign `team_id`). */
@Injectable()
export class RestCallerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly credentials: Credentials,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.get<CallerRule>(CALLERS, context.getHandler());
    const request = context.switchToHttp().getRequest<RestRequest>();
    const token = bearer(request.headers.authorization);
    if (token === undefined) throw new RestError(401, 'not_authed');
    const caller = await this.identify(token, request);
    if (!rule.kinds.includes(caller.kind)) throw new RestError(403, 'not_allowed_token_type');
    if (rule.admin && !isAdmin(caller)) throw new RestError(403, 'not_admin');
    if (rule.botScope !== undefined && caller.kind === 'bot' && !caller.scopes.includes(rule.botScope)) {
      throw new RestError(403, 'missing_scope');
    }
    request.caller = caller;
    return true;
  }

  private async identify(token: string, request: RestRequest): Promise<Identity> {
    const sent = (from: unknown): unknown => (from as { team_id?: unknown } | null | undefined)?.team_id;
    const teamId = sent(request.body) ?? sent(request.query);
    try {
      return (await this.credentials.identify(token, typeof teamId === 'string' ? { team_id: cleanText(teamId) } : {}))
        .identity;
    } catch (error) {
      throw toRestError(error);
    }
  }
}

/**
 * A control-plane route for these kinds of caller: J, B, U and Adm of messaging.md E. What the product's doors refuse
 * below it is answered as REST.
 */
export const Callers = (
  kinds: readonly ('J' | 'B' | 'U')[],
  options: Pick<CallerRule, 'botScope' | 'admin'> = {},
): MethodDecorator => {
  const names = { J: 'jwt', B: 'bot', U: 'user' } as const;
  const rule: CallerRule = { kinds: kinds.map((kind) => names[kind]), ...options };
  return applyDecorators(
    SetMetadata(CALLERS, rule),
    UseGuards(RestCallerGuard),
    UseFilters(RestErrorsFilter),
    ApiBearerAuth(),
  );
};

/** Who is calling; needs `@Callers`. */
export const RestCaller = createParamDecorator((_: unknown, context: ExecutionContext): Identity => {
  const { caller } = context.switchToHttp().getRequest<RestRequest>();
  if (!caller) throw new Error('@RestCaller needs @Callers');
  return caller;
});
