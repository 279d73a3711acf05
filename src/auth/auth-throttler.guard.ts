import { applyDecorators, Injectable, SetMetadata, UseGuards, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { ClientAddresses } from '../kernel/http/client-addresses.js';
import { RestError } from '../kernel/http/http-error.js';
import { TierThrottlerGuard, type Allowance } from '../kernel/limits/throttler-storage.js';
import { AuthRate, type AuthRoute } from './auth-rate.js';

const ROUTE = 'auth:route';

/** Calls of an address a minute, before anything of them is looked at (docs/reference/limits.md#sign-in). */
@Injectable()
export class AuthThrottlerGuard extends TierThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly rate: AuthRate,
    private readonly addresses: ClientAddresses,
  ) {
    super(options, storage, reflector);
  }

  protected override allowance(context: ExecutionContext): Allowance | null {
    const route = this.reflector.get<AuthRoute>(ROUTE, context.getHandler());
    const { raw } = context.switchToHttp().getRequest<FastifyRequest>();
    return this.rate.ofAddress(route, this.addresses.of(raw));
  }

  protected override throwThrottlingException(
    _context: ExecutionContext,
    { timeToBlockExpire }: { timeToBlockExpire: number },
  ): Promise<void> {
    throw new RestError(429, 'ratelimited', timeToBlockExpire);
  }
}

/** A route where passwords or refresh tokens are tried. 429 `ratelimited` */
export const CountsAs = (route: AuthRoute): MethodDecorator =>
  applyDecorators(SetMetadata(ROUTE, route), UseGuards(AuthThrottlerGuard));
