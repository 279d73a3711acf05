import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RestError } from '../kernel/http/http-error.js';
import { bearer } from '../kernel/http/bearer.js';
import { Admins, type Admin } from './admins.js';

export type AdminRequest = FastifyRequest & { admin?: Admin };

/** Opens `/api/admin/*` to operators. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(private readonly admins: Admins) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AdminRequest>();
    const header = request.headers['x-admin-token'];
    const token = typeof header === 'string' && header !== '' ? header : bearer(request.headers.authorization);
    if (token === undefined) throw new RestError(401, 'not_authed');
    request.admin = await this.admins.authenticate(token);
    return true;
  }
}
