import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerStorage } from '@nestjs/throttler';
import { Limits } from './limits.js';
import type { Policy, TakeResult } from './policy.js';

/** The answer of a throttler storage (the library does not export its type). Times are whole seconds. */
export type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * `Limits` for the guards of @nestjs/throttler. A stock guard (`@Throttle({ default: { limit, ttl } })`) gets a sliding
 * window; a guard with its own policy, such as `TierThrottlerGuard`, calls `take`. `blockDuration` is not used: a
 * caller is refused until its cost fits, and refused calls do not count (docs/reference/chat.md#rate-tiers).
 */
@Injectable()
export class LimitsThrottlerStorage implements ThrottlerStorage {
  constructor(private readonly limits: Limits) {}

  increment(
    key: string,
    ttl: number,
    limit: number,
    _blockDuration: number,
    throttlerName: string,
  ): Promise<ThrottlerRecord> {
    return this.take(`throttler:${throttlerName}:${key}`, { kind: 'window', limit, windowMs: ttl });
  }

  async take(key: string, policy: Policy, taken?: TakeResult): Promise<ThrottlerRecord> {
    return toRecord(taken ?? (await this.limits.take(key, policy)), policy);
  }
}

function toRecord(taken: TakeResult, policy: Policy): ThrottlerRecord {
  const limit = policy.kind === 'window' ? policy.limit : policy.capacity;
  const resetMs =
    policy.kind === 'window' ? policy.windowMs : ((limit - taken.remaining) / policy.refillPerSecond) * 1000;
  return {
    totalHits: taken.allowed ? limit - taken.remaining : limit + 1,
    timeToExpire: Math.ceil(resetMs / 1000),
    isBlocked: !taken.allowed,
    timeToBlockExpire: taken.allowed ? 0 : Math.max(1, Math.ceil(taken.retryAfterMs / 1000)),
  };
}

/**
 * The stock guard with allowances that depend on the call: a subclass provides the policy and the key, and the error by
 * overriding `throwThrottlingException`, before which `Retry-After` is set. The throttlers of ThrottlerModule's
 * configuration are not used.
 */
@Injectable()
export abstract class TierThrottlerGuard extends ThrottlerGuard {
  /** The key and policy; null = this call is not counted. */
  protected abstract allowance(context: ExecutionContext): Allowance | null | Promise<Allowance | null>;

  /**
   * The stock implementation would look up, in a dozen steps, the route's settings for throttlers that count nothing
   * here.
   */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const allowance = await this.allowance(context);
    if (allowance === null) return true;
    await this.take(context, allowance);
    return true;
  }

  /** @throws what `throwThrottlingException` throws */
  private async take(context: ExecutionContext, { key, policy, taken }: Allowance): Promise<void> {
    const record = await (this.storageService as LimitsThrottlerStorage).take(key, policy, taken);
    if (!record.isBlocked) return;
    const { res } = this.getRequestResponse(context);
    this.setResponseHeader(res, 'Retry-After', record.timeToBlockExpire);
    await this.throwThrottlingException(context, {
      ...record,
      key,
      tracker: key,
      limit: policy.kind === 'window' ? policy.limit : policy.capacity,
      ttl: policy.kind === 'window' ? policy.windowMs : (policy.capacity / policy.refillPerSecond) * 1000,
    });
  }
}

export interface Allowance {
  readonly key: string;
  readonly policy: Policy;
  /** Set where the take was made together with something else. */
  readonly taken?: TakeResult | undefined;
}
