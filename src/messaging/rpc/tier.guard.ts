import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { LRUCache } from 'lru-cache';
import { scaled, type Policy } from '../../kernel/limits/limits.js';
import { TierThrottlerGuard, type Allowance } from '../../kernel/limits/throttler-storage.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { DirectMessages } from '../store/direct-messages.js';
import type { RpcCall, RpcRequest, Tier } from './contract.js';
import { MethodRegistry } from './method-registry.js';

/** docs/reference/chat.md#rate-tiers, before the sandbox's or the server's multiplier. */
export const TIERS: Readonly<Record<Tier, Policy>> = {
  2: { kind: 'window', limit: 20, windowMs: 60_000 },
  3: { kind: 'window', limit: 50, windowMs: 60_000 },
  4: { kind: 'window', limit: 100, windowMs: 60_000 },
  special: { kind: 'bucket', capacity: 5, refillPerSecond: 1 },
};

/** Allowances whose last refusal is remembered. */
const REMEMBERED_REFUSALS = 10_000;

/** Scaled policies by multiplier: a server sees few different ones, and what nobody uses any more is forgotten. */
const scaledTiers = new Map<string, Policy | null>();

function policyOf(tier: Tier, multiplier: number): Policy | null {
  const key = `${tier}:${multiplier}`;
  const known = scaledTiers.get(key);
  if (known !== undefined) return known;
  const policy = scaled(TIERS[tier], multiplier);
  if (scaledTiers.size > 1000) scaledTiers.clear();
  scaledTiers.set(key, policy);
  return policy;
}

/**
 * Step 5 of docs/reference/chat.md#order-of-checks: the method's allowance for this app in this workspace, or for this
 * user.
 */
@Injectable()
export class TierGuard extends TierThrottlerGuard {
  /** Allowances that have nothing left, for as long as that lasts. */
  private readonly refused = new LRUCache<string, true>({ max: REMEMBERED_REFUSALS });

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly methods: MethodRegistry,
    private readonly conversations: ConversationAccess,
    private readonly directMessages: DirectMessages,
  ) {
    super(options, storage, reflector);
  }

  protected override async allowance(context: ExecutionContext): Promise<Allowance | null> {
    const method = this.methods.of(context.getHandler());
    const call = context.switchToHttp().getRequest<RpcRequest>().rpc as RpcCall;
    const { caller } = call;
    if (!caller) return null; // nobody to count for
    if (caller.ui && method.reads) return null;
    const policy = policyOf(method.tier, caller.sandbox.rateLimitMultiplier);
    if (!policy) return null;
    const who = caller.app ? `${caller.app.id}:${caller.workspaceId}` : caller.userId;
    if (method.tier !== 'special') return { key: `${caller.sandbox.allowances}${method.name}:${who}`, policy };
    const conversationId = await this.resolve(caller, call.args['channel']);
    return conversationId === null
      ? null
      : { key: `${caller.sandbox.allowances}${method.name}:${who}:${conversationId}`, policy };
  }

  /**
   * A read changes nothing, so it and its take go to the store side by side, and the envelope throws the answer away
   * where the take is refused. Who was refused just now waits for the take: hammering costs no reads.
   */
  protected override mayRunAhead(context: ExecutionContext, { key }: Allowance, taking: Promise<void>): boolean {
    const { reads } = this.methods.of(context.getHandler());
    if (!reads || this.refused.has(key)) return false;
    const { rpc } = context.switchToHttp().getRequest<RpcRequest>();
    (rpc as RpcCall).taking = taking;
    // heard by the envelope, which may come to it later
    taking.catch(() => undefined);
    return true;
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
    detail: { key: string; timeToBlockExpire: number },
  ): Promise<void> {
    this.refused.set(detail.key, true, { ttl: detail.timeToBlockExpire * 1000 });
    throw new MessagingError('ratelimited', { retryAfter: detail.timeToBlockExpire });
  }
}
