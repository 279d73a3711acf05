import {
  applyDecorators,
  createParamDecorator,
  SetMetadata,
  UseFilters,
  UseGuards,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { readInCallersIds } from '../../kernel/http/callers-ids.js';
import { Calls } from '../../kernel/http/calls.js';
import { RestError } from '../../kernel/http/http-error.js';
import { CallSteps, isOperators } from '../../kernel/sandbox/call-steps.js';
import { cleanText } from '../../kernel/text/clean.js';
import { isAdmin, type CredentialKind, type Identity } from '../access/identity.js';
import { Limits, scaled } from '../../kernel/limits/limits.js';
import { TIERS } from '../rpc/tiers.js';
import { Credentials } from '../rpc/credentials.js';
import { bearer } from '../../kernel/http/bearer.js';
import { beginCall, restFaults, routeName } from '../rpc/journal.js';
import { RestErrorsFilter, toRestError } from './rest-errors.js';

const CALLERS = Symbol('rest:callers');

interface CallerRule {
  readonly kinds: readonly CredentialKind[];
  /** A bot token needs this scope (the only scopes that bind on the control plane). */
  readonly botScope?: string;
  /** Only admins and owners of the workspace. */
  readonly admin?: boolean;
  /** It creates or sends something: counted with all others of its kind. */
  readonly counts?: boolean;
  /** Neither recorded nor affected by faults: it serves the inspection of others. */
  readonly unseen?: boolean;
}

type RestRequest = FastifyRequest & { caller?: Identity };

/**
 * Identifies the caller and checks that the route admits them (docs/reference/control-plane.md#conventions: 401, 403;
 * 404 for a foreign `team_id`).
 */
@Injectable()
export class RestCallerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly credentials: Credentials,
    private readonly clock: Clock,
    private readonly limits: Limits,
    private readonly calls: Calls,
    private readonly steps: CallSteps,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.get<CallerRule>(CALLERS, context.getHandler());
    const request = context.switchToHttp().getRequest<RestRequest>();
    const token = bearer(request.headers.authorization);
    if (token === undefined) throw new RestError(401, 'not_authed');
    const caller = await this.identify(token, request);
    this.clock.enter(caller.sandbox);
    readInCallersIds(request);
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    if (!rule.unseen) await this.begin(request, reply, caller);
    // what a person consented to are scopes of methods, not the right to manage the workspace
    const isForMethods = caller.kind === 'user' && caller.isConsented;
    if (!rule.kinds.includes(caller.kind) || isForMethods) throw new RestError(403, 'not_allowed_token_type');
    if (rule.admin && !isAdmin(caller)) throw new RestError(403, 'not_admin');
    if (rule.botScope !== undefined && caller.kind === 'bot' && !caller.scopes.includes(rule.botScope)) {
      throw new RestError(403, 'missing_scope');
    }
    if (rule.counts) await this.count(caller);
    request.caller = caller;
    return true;
  }

  /** Reports the call, which a fault may answer. */
  private async begin(request: RestRequest, reply: FastifyReply, caller: Identity): Promise<void> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    beginCall(this.calls, [request, reply], caller, { method: routeName(request), args: argsOf(request), isRead });
    await this.steps.begin(caller.sandbox, { isRead, isOperators: isOperators(caller, isRead) });
    await this.calls.applyFaults(request, reply, restFaults);
  }

  /**
   * All routes that create or send something share one allowance, by user and app.
   * @throws RestError 429 ratelimited
   */
  private async count({ sandbox, userId, workspaceId, app }: Identity): Promise<void> {
    const policy = scaled(TIERS[3], sandbox.rateLimitMultiplier);
    if (!policy) return;
    const key = `${sandbox.allowances}control:${workspaceId}:${userId}:${app?.id ?? ''}`;
    const { allowed, retryAfterMs } = await this.limits.take(key, policy);
    if (!allowed) throw new RestError(429, 'ratelimited', Math.max(1, Math.ceil(retryAfterMs / 1000)));
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

/** Path, query and body together: the arguments of a control route. */
function argsOf({ params, query, body }: FastifyRequest): object {
  const fields = (from: unknown): object =>
    typeof from === 'object' && from !== null && !Buffer.isBuffer(from) ? from : {};
  return { ...fields(params), ...fields(query), ...fields(body) };
}

/**
 * A control-plane route for these kinds of caller, named as in docs/reference/control-plane.md#conventions.
 * What the product's doors refuse below it is answered as REST.
 */
export const Callers = (
  kinds: readonly ('J' | 'B' | 'U')[],
  options: Pick<CallerRule, 'botScope' | 'admin' | 'counts' | 'unseen'> = {},
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

/** The caller; needs `@Callers`. */
export const RestCaller = createParamDecorator((_: unknown, context: ExecutionContext): Identity => {
  const { caller } = context.switchToHttp().getRequest<RestRequest>();
  if (!caller) throw new Error('@RestCaller needs @Callers');
  return caller;
});
