import {
  applyDecorators,
  createParamDecorator,
  Inject,
  Injectable,
  SetMetadata,
  UseFilters,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessTokenClaims } from '../../auth/access-tokens.js';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { readInCallersIds } from '../../kernel/http/callers-ids.js';
import { Calls } from '../../kernel/http/calls.js';
import { RestError } from '../../kernel/http/http-error.js';
import { Limits, scaled, type Policy } from '../../kernel/limits/limits.js';
import { CallSteps, isOperators } from '../../kernel/sandbox/call-steps.js';
import { Callers, type CallerRefusal } from '../access/callers.js';
import { beginCall, trackerRestFaults } from '../access/journal.js';
import type { Viewer } from '../access/viewer.js';
import { TrackerRestErrorsFilter } from './rest-errors.js';
import { bearer } from '../../kernel/http/bearer.js';

/**
 * The callers that a route of docs/reference/tracker.md#rest admits: any account, users of an organization, or its
 * admins.
 */
type Kind = 'account' | 'user' | 'admin';

const KIND = Symbol('tracker:rest:caller');

type Request = FastifyRequest & { trackerViewer?: Viewer; trackerAccount?: AccessTokenClaims };

/** The limit of creations per person and minute: the chat service's Tier 3. */
const MAKING: Policy = { kind: 'window', limit: 50, windowMs: 60_000 };

const STATUS: Partial<Record<CallerRefusal, number>> = { organization_required: 403 };

/** Admits access tokens; API keys are not accepted here (docs/reference/tracker.md#rest). */
@Injectable()
export class TrackerRestGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly callers: Callers,
    private readonly clock: Clock,
    private readonly calls: Calls,
    private readonly limits: Limits,
    private readonly steps: CallSteps,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const kind = this.reflector.get<Kind>(KIND, context.getHandler());
    const request = context.switchToHttp().getRequest<Request>();
    const { authorization = '' } = request.headers;
    if (authorization === '') throw refusal('not_authed');
    const token = bearer(authorization);
    if (token === undefined) throw refusal('invalid_auth');
    if (kind === 'account') {
      const account = await this.callers.accountOf(token);
      if ('refused' in account) throw refusal(account.refused);
      if (request.method === 'POST') await this.count(`control:${account.accountId}`, undefined);
      request.trackerAccount = account;
      return true;
    }
    const found = await this.callers.byAccessToken(token);
    if ('refused' in found) throw refusal(found.refused);
    this.clock.enter(found.viewer.sandbox);
    readInCallersIds(request);
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    beginCall(this.calls, [request, reply], found.viewer, {
      method: `${request.method} ${request.routeOptions.url ?? ''}`,
      args: { ...(request.params as object), ...(request.query as object), ...(request.body as object | undefined) },
      isRead: request.method === 'GET',
    });
    await this.steps.begin(found.viewer.sandbox, {
      isRead: request.method === 'GET',
      isOperators: isOperators(found.viewer, request.method === 'GET'),
    });
    const met = this.calls.applyFaults(request, reply, trackerRestFaults);
    if (met) await met;
    if (kind === 'admin' && !found.viewer.admin) throw new RestError(403, 'not_admin');
    request.trackerViewer = found.viewer;
    if (request.method === 'POST') {
      const { organizationId, userId, sandbox } = found.viewer;
      await this.count(`${sandbox?.allowances ?? ''}control:${organizationId}:${userId}`, sandbox?.rateLimitMultiplier);
    }
    return true;
  }

  /**
   * All routes that create something share one allowance.
   * @throws RestError 429 ratelimited
   */
  private async count(key: string, multiplier = this.settings.rateLimitMultiplier): Promise<void> {
    const policy = scaled(MAKING, multiplier);
    if (!policy) return;
    const { allowed, retryAfterMs } = await this.limits.take(key, policy);
    if (!allowed) throw new RestError(429, 'ratelimited', Math.max(1, Math.ceil(retryAfterMs / 1000)));
  }
}

const refusal = (code: CallerRefusal): RestError => new RestError(STATUS[code] ?? 401, code);

const route = (kind: Kind): MethodDecorator =>
  applyDecorators(
    SetMetadata(KIND, kind),
    UseGuards(TrackerRestGuard),
    UseFilters(TrackerRestErrorsFilter),
    ApiBearerAuth(),
  );

/** For any account; gives `@RestAccount()`. */
export const ForAccounts = (): MethodDecorator => route('account');
/** For users of an organization; gives `@RestViewer()`. */
export const ForUsers = (): MethodDecorator => route('user');
/** For admins of an organization; gives `@RestViewer()`. */
export const ForAdmins = (): MethodDecorator => route('admin');

export const RestViewer = createParamDecorator((_: unknown, context: ExecutionContext): Viewer => {
  const { trackerViewer } = context.switchToHttp().getRequest<Request>();
  if (!trackerViewer) throw new Error('@RestViewer needs @ForUsers or @ForAdmins');
  return trackerViewer;
});

export const RestAccount = createParamDecorator((_: unknown, context: ExecutionContext): AccessTokenClaims => {
  const { trackerAccount } = context.switchToHttp().getRequest<Request>();
  if (!trackerAccount) throw new Error('@RestAccount needs @ForAccounts');
  return trackerAccount;
});
