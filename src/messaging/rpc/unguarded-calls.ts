import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Calls, type Call } from '../../kernel/http/calls.js';
import { Limits } from '../../kernel/limits/limits.js';
import { CallSteps } from '../../kernel/sandbox/call-steps.js';
import type { SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { MessagingError } from '../wire/codes.js';
import { rpcFaults } from './journal.js';
import type { RpcRequest, Tier } from './rpc-call.js';
import { policyOf } from './tiers.js';

/** What is known of a call once its method has found who makes it. */
interface UnguardedCall {
  readonly call: Call;
  /** Of whoever the call is about. */
  readonly sandbox: SandboxFlags | null;
  readonly tier: Tier;
  /** Whose allowance it takes. */
  readonly countsFor: string;
}

/** Calls of methods that find their caller themselves: what the guards do for all others. */
@Injectable()
export class UnguardedCalls {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly calls: Calls,
    private readonly clock: Clock,
    private readonly limits: Limits,
    private readonly steps: CallSteps,
  ) {}

  /** Reports the call, meets faults, counts it, and goes by the sandbox's clock. @throws MessagingError ratelimited */
  async begin(request: RpcRequest, reply: FastifyReply, begun: UnguardedCall): Promise<void> {
    const { call, sandbox, tier, countsFor } = begun;
    this.clock.enter(sandbox);
    this.calls.begin(request, reply, call);
    await this.steps.begin(sandbox);
    await this.calls.applyFaults(request, reply, rpcFaults(request.id));
    const policy = policyOf(tier, sandbox?.rateLimitMultiplier ?? this.settings.rateLimitMultiplier);
    if (!policy) return;
    const taken = await this.limits.take(`${sandbox?.allowances ?? ''}${call.method}:${countsFor}`, policy);
    if (!taken.allowed) {
      throw new MessagingError('ratelimited', { retryAfter: Math.max(1, Math.ceil(taken.retryAfterMs / 1000)) });
    }
  }
}
