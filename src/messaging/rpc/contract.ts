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
import type { Caller } from '../access/conversation-access.js';
import type { CredentialKind, ScopeRule, ScopesByType } from '../access/identity.js';
import { ArgsPipe } from './args.pipe.js';
import { EnvelopeInterceptor } from './envelope.interceptor.js';
import { IdentityGuard } from './identity.guard.js';
import { METHOD_CORE, METHOD_NAME, METHOD_SCOPES, METHOD_TIER } from './metadata.js';
import type { RpcCall, RpcRequest, Tier } from './rpc-call.js';
import { ScopeGuard } from './scope.guard.js';
import { TierGuard } from './tier.guard.js';

const USUAL_TOKENS: readonly CredentialKind[] = ['bot', 'user', 'jwt'];

/**
 * A method of the Web API: its route, status 200, the guards (who, allowed, how often), the `ok` envelope. What it
 * throws is answered by the edge (rpc-edge.ts).
 * @param options.core false for a method beyond the 27: it exists where SVC_METHODS or the sandbox says `all`
 * @param options.anonymous the method needs no credential (api.test): one that is sent and good still counts
 * @param options.handshake the method opens a transport: app-level tokens call it, and nothing else
 * @param options.client the credential is an app's client id: whoever calls is found by the method itself
 * @param options.inHeader its credential is taken in the header alone
 * @param options.tokens the kinds of credential that it takes, where they are not those of most methods
 */
export const RpcMethod = (
  name: string,
  options: {
    core?: boolean;
    anonymous?: boolean;
    handshake?: boolean;
    client?: boolean;
    tokens?: readonly CredentialKind[];
    inHeader?: boolean;
  } = {},
): MethodDecorator =>
  applyDecorators(
    SetMetadata(METHOD_NAME, name),
    SetMetadata(METHOD_CORE, {
      core: options.core ?? true,
      anonymous: options.anonymous ?? false,
      handshake: options.handshake ?? false,
      client: options.client ?? false,
      tokens: options.tokens ?? USUAL_TOKENS,
      inHeader: options.inHeader ?? false,
    }),
    All(name),
    HttpCode(200),
    UseGuards(IdentityGuard, ScopeGuard, TierGuard),
    UseInterceptors(EnvelopeInterceptor),
  );

type ByTypeInput = { [T in keyof ScopesByType]: string | readonly string[] };

/** What `@RequireScope` takes: one scope, any of several, none (null), or any of several by the conversation's type. */
export type ScopeInput = string | readonly string[] | null | ByTypeInput | { bot: ByTypeInput; user: ByTypeInput };

export interface ScopeOptions {
  /**
   * The reference service issues this scope to user tokens only; refused to bots when SVC_STRICT_TOKEN_TYPES is set
   * (docs/reference/chat.md#scopes).
   */
  usersOnlyWhenStrict?: boolean;
  /** The method belongs to an app: a signed-in person is refused. */
  appTokensOnly?: boolean;
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

/**
 * The scopes of which an app token needs any one; by conversation type where the contract says so (docs/METHODS.md).
 */
export const RequireScope = (input: ScopeInput, options: ScopeOptions = {}): MethodDecorator =>
  SetMetadata(METHOD_SCOPES, { rule: toRule(input), ...options });

export const RateTier = (tier: Tier): MethodDecorator => SetMetadata(METHOD_TIER, tier);

const rpcOf = (context: ExecutionContext): RpcCall => {
  const call = context.switchToHttp().getRequest<RpcRequest>().rpc;
  if (!call) throw new Error('@RpcArgs and @CallerOf need @RpcMethod');
  return call;
};

/** Who is calling. */
export const CallerOf = createParamDecorator((_: unknown, context: ExecutionContext): Caller =>
  callerOf(rpcOf(context)),
);

/** @throws Error where nobody is known to call, which only an anonymous method allows */
export function callerOf({ caller }: RpcCall): Caller {
  if (!caller) throw new Error('an anonymous method has no caller');
  return caller;
}

const rawArgs = createParamDecorator((_: unknown, context: ExecutionContext): RpcCall => rpcOf(context));

/** All arguments as they came in: for a method that takes any. */
export const RawRpcArgs = createParamDecorator((_: unknown, context: ExecutionContext): RpcCall => rpcOf(context));

/** The arguments, read and validated as the parameter's class says. */
export const RpcArgs = (): ParameterDecorator => rawArgs(new ArgsPipe());
