import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { TierThrottlerGuard, type Allowance } from '../../kernel/limits/throttler-storage.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { DirectMessages } from '../members/direct-messages.js';
import type { RpcCall, RpcRequest } from './rpc-call.js';
import { MethodRegistry } from './method-registry.js';
import { allowanceKey, policyOf } from './tiers.js';

/**
 * Step 5 of docs/reference/chat.md#order-of-checks: the method's allowance for this app in this workspace, or for this
 * user.
 */
@Injectable()
export class TierGuard extends TierThrottlerGuard {
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
    if (call.allowance) return call.allowance;
    if (!caller) return null; // nobody to count for
    if (caller.ui && method.reads) return null;
    const policy = policyOf(method.tier, caller.sandbox.rateLimitMultiplier);
    if (!policy) return null;
    if (method.tier !== 'special') return { key: allowanceKey(method, caller), policy };
    const conversationId = await this.resolve(caller, call.args['channel']);
    return conversationId === null ? null : { key: allowanceKey(method, caller, conversationId), policy };
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
    { timeToBlockExpire }: { timeToBlockExpire: number },
  ): Promise<void> {
    throw new MessagingError('ratelimited', { retryAfter: timeToBlockExpire });
  }
}
