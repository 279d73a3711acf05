import {
  applyDecorators,
  createParamDecorator,
  Injectable,
  SetMetadata,
  UseFilters,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { AccessTokenClaims } from '../../auth/access-tokens.js';
import { RestError } from '../../kernel/http/http-error.js';
import { Callers, type CallerRefusal } from '../model/callers.js';
import type { Viewer } from '../model/viewer.js';
import { TrackerRestErrorsFilter } from './rest-errors.js';

/** Whom a route of h.3 is for: any account, users of an organization, or its admins. */
type Kind = 'account' | 'user' | 'admin';

const KIND = Symbol('tracker:rest:caller');

type Request = FastifyRequest & { trackerViewer?: Viewer; trackerAccount?: AccessTokenClaims };

const STATUS: Partial<Record<CallerRefusal, number>> = { organization_required: 403 };

/** Lets in who holds an access token; an API key is none here (tracker.md h.3). */
@Injectable()
export class TrackerRestGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly callers: Callers,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const kind = this.reflector.get<Kind>(KIND, context.getHandler());
    const request = context.switchToHttp().getRequest<Request>();
    const { authorization = '' } = request.headers;
    if (authorization === '') throw refusal('not_authed');
    const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (token === undefined) throw refusal('invalid_auth');
    if (kind === 'account') {
      const account = await this.callers.accountOf(token);
      if ('refused' in account) throw refusal(account.refused);
      request.trackerAccount = account;
      return true;
    }
    const found = await this.callers.byAccessToken(token);
    if ('refused' in found) throw refusal(found.refused);
    if (kind === 'admin' && !found.viewer.admin) throw new RestError(403, 'not_admin');
    request.trackerViewer = found.viewer;
    return true;
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
