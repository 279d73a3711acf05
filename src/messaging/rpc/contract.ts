import {
  applyDecorators,
  All,
  createParamDecorator,
  HttpCode,
  SetMetadata,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../model/conversation-access.js';
import type { ScopeRule, ScopesByType } from '../model/identity.js';
import type { RawArgs } from './args/args.js';
import { ArgsPipe } from './args.pipe.js';
import { EnvelopeInterceptor } from './envelope.interceptor.js';
import { IdentityGuard } from './identity.guard.js';
import { METHOD_NAME, METHOD_SCOPES, METHOD_TIER } from './metadata.js';
import { ScopeGuard } from './scope.guard.js';
import { TierGuard } from './tier.guard.js';

/** How often a method may be called (messaging.md A.9). */
export type Tier = 2 | 3 | 4 | 'special';

/**
 * A method of the Web API: its route, status 200, the guards (who, allowed, how often), the `ok` envelope. What it
 * throws is answered by the edge (rpc-edge.ts).
 */
export const RpcMethod = (name: string): MethodDecorator =>
  applyDecorators(
    SetMetadata(METHOD_NAME, name),
    All(name),
    HttpCode(200),
    UseGuards(IdentityGuard, ScopeGuard, TierGuard),
    UseInterceptors(EnvelopeInterceptor),
  );

type ByTypeInput = { [T in keyof ScopesByType]: string | readonly string[] };

/** What `@RequireScope` takes: one scope, any of several, none (null), or any of several by the conversation's type. */
export type ScopeInput = string | readonly string[] | null | ByTypeInput | { bot: ByTypeInput; user: ByTypeInput };

export interface ScopeOptions {
  /** The reference service issues this scope to user tokens only; refused to bots when SVC_STRICT_TOKEN_TYPES is set (A.8). */
  usersOnlyWhenStrict?: boolean;
}

const list = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);
const byType = (input: ByTypeInput): ScopesByType =>
  Object.fromEntries(Object.entries(input).map(([type, scopes]) => [type, list(scopes)]));

function toRule(input: ScopeInput): ScopeRule {
  if (input === null) return { any: null };
  if (typeof input === 'string' || Array.isArray(input)) return { any: list(input as string | string[]) };
  if ('bot' in input) return { byType: { bot: byType(input.bot), user: byType(input.user) } };
  const same = byType(input as ByTypeInput);
  return { byType: { bot: same, user: same } };
}

/** The scopes of which an app token needs any one; by conversation type where the contract says so (messaging.md B). */
export const RequireScope = (input: ScopeInput, options: ScopeOptions = {}): MethodDecorator =>
  SetMetadata(METHOD_SCOPES, { rule: toRule(input), ...options });

export const RateTier = (tier: Tier): MethodDecorator => SetMetadata(METHOD_TIER, tier);

/** What the guards found out about a call; lives on the request. */
export interface RpcCall {
  readonly args: RawArgs;
  /** The body could not be read: told at step 6 of A.5. */
  readonly bodyError?: string | undefined;
  readonly caller: Caller;
}

export type RpcRequest = FastifyRequest & { rpc?: RpcCall };

const rpcOf = (context: ExecutionContext): RpcCall => {
  const call = context.switchToHttp().getRequest<RpcRequest>().rpc;
  if (!call) throw new Error('@RpcArgs and @CallerOf need @RpcMethod');
  return call;
};

/** Who is calling. */
export const CallerOf = createParamDecorator((_: unknown, context: ExecutionContext): Caller => rpcOf(context).caller);

const rawArgs = createParamDecorator((_: unknown, context: ExecutionContext): RpcCall => rpcOf(context));

/** The arguments, read and validated as the parameter's class says. */
export const RpcArgs = (): ParameterDecorator => rawArgs(new ArgsPipe());
