import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { scaled, type Policy } from '../../kernel/limits/limits.js';
import { TierThrottlerGuard, type Allowance } from '../../kernel/limits/throttler-storage.js';
import { MessagingError } from '../model/codes.js';
import { ConversationAccess, type Caller } from '../model/conversation-access.js';
import { DirectMessages } from '../model/direct-messages.js';
import type { RpcCall, RpcRequest, Tier } from './contract.js';
import { MethodRegistry } from './method-registry.js';

/** messaging.md A.9, before SVC_RATE_LIMIT_MULTIPLIER. */
export const TIERS: Readonly<Record<Tier, Policy>> = {
  2: { kind: 'window', limit: 20, windowMs: 60_000 },
  3: { kind: 'window', limit: 50, windowMs: 60_000 },
  4: { kind: 'window', limit: 100, windowMs: 60_000 },
  special: { kind: 'bucket', capacity: 5, refillPerSecond: 1 },
};

/** Step 5 of A.5: the method's allowance for this app in this workspace, or for this user. */
@Injectable()
export class TierGuard extends TierThrottlerGuard {
  private readonly policies: Readonly<Record<Tier, Policy | null>>;

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly methods: MethodRegistry,
    private readonly conversations: ConversationAccess,
    private readonly directMessages: DirectMessages,
    @Inject(SETTINGS_TOKEN) settings: Settings,
  ) {
    super(options, storage, reflector);
    const scale = (tier: Tier): Policy | null => scaled(TIERS[tier], settings.rateLimitMultiplier);
    this.policies = { 2: scale(2), 3: scale(3), 4: scale(4), special: scale('special') };
  }

  protected override async allowance(context: ExecutionContext): Promise<Allowance | null> {
    const method = this.methods.of(context.getHandler());
    const policy = this.policies[method.tier];
    if (!policy) return null;
    const call = context.switchToHttp().getRequest<RpcRequest>().rpc as RpcCall;
    const { caller } = call;
    const who = caller.app ? `${caller.app.id}:${caller.workspaceId}` : caller.userId;
    if (method.tier !== 'special') return { key: `${method.name}:${who}`, policy };
    const conversationId = await this.resolve(caller, call.args['channel']);
    return conversationId === null ? null : { key: `${method.name}:${who}:${conversationId}`, policy };
  }

  /** The conversation a post is meant for; null skips the check, as the call fails later. Left for the service to use. */
  private async resolve(caller: Caller, channel: unknown): Promise<string | null> {
    if (typeof channel !== 'string' || channel === '') return null;
    const conversation = await this.conversations.findByIdOrName(caller, channel);
    if (conversation) {
      caller.named = { id: channel, conversation };
      return conversation.id;
    }
    if (!/^U0[0-9A-Z]{9}$/.test(channel)) return null;
    return (await this.directMessages.find(caller, [caller.userId, channel]))?.id ?? null;
  }

  protected override throwThrottlingException(
    _context: ExecutionContext,
    detail: { timeToBlockExpire: number },
  ): Promise<void> {
    throw new MessagingError('ratelimited', { retryAfter: detail.timeToBlockExpire });
  }
}
