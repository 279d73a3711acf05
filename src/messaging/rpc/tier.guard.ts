import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { currentCall } from '../../kernel/http/call-context.js';
import { TierThrottlerGuard, type Allowance } from '../../kernel/limits/throttler-storage.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { DirectMessages } from '../store/direct-messages.js';
import type { RememberedCall, RpcCall, RpcRequest } from './rpc-call.js';
import { MethodRegistry } from './method-registry.js';
import { RecentRefusals } from './recent-refusals.js';
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
    private readonly refusals: RecentRefusals,
  ) {
    super(options, storage, reflector);
  }

  protected override async allowance(context: ExecutionContext): Promise<Allowance | null> {
    const method = this.methods.of(context.getHandler());
    const call = context.switchToHttp().getRequest<RpcRequest>().rpc as RpcCall;
    const { caller } = call;
    if (call.remembered && !method.isBatched) return { ...call.remembered.allowance, taken: call.remembered.taken() };
    if (call.remembered) {
      this.leavePending(context, call, call.remembered);
      return null;
    }
    if (!caller) return null; // nobody to count for
    if (caller.ui && method.reads) return null;
    const policy = policyOf(method.tier, caller.sandbox.rateLimitMultiplier);
    if (!policy) return null;
    if (method.tier !== 'special') return { key: allowanceKey(method, caller), policy };
    const conversationId = await this.resolve(caller, call.args['channel']);
    return conversationId === null ? null : { key: allowanceKey(method, caller, conversationId), policy };
  }

  /**
   * A read changes nothing, so it and its take go to the store side by side, and the envelope throws the answer away
   * where the take is refused. Who was refused just now waits for the take: hammering costs no reads.
   */
  protected override mayRunAhead(context: ExecutionContext, { key }: Allowance, taking: Promise<void>): boolean {
    const { reads } = this.methods.of(context.getHandler());
    const call = context.switchToHttp().getRequest<RpcRequest>().rpc as RpcCall;
    if (!reads || call.isAgain || (!call.remembered && this.refusals.has(key))) return false;
    call.taking = taking;
    // heard by the envelope, which may come to it later
    taking.catch(() => undefined);
    return true;
  }

  /** The take goes with what the call writes, or is taken before it. */
  private leavePending(context: ExecutionContext, call: RpcCall, { allowance, pending }: RememberedCall): void {
    call.pending = pending((taken) => this.take(context, { ...allowance, taken }));
    const current = currentCall();
    if (current) current.pending = call.pending;
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
    this.refusals.note(detail.key, detail.timeToBlockExpire);
    throw new MessagingError('ratelimited', { retryAfter: detail.timeToBlockExpire });
  }
}
