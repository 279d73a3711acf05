import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { AllowanceBook } from '../../kernel/limits/allowance-book.js';
import { Limits, type BucketPolicy, type TakeResult } from '../../kernel/limits/limits.js';
import { budgetEmpty, tooComplex, type TrackerError } from '../values/errors.js';
import type { Viewer } from '../access/viewer.js';
import { wholePoints } from './complexity.js';

const HOUR_SECONDS = 3_600;

/** The values of an answer's headers (docs/reference/limits.md#graphql-budgets). */
export interface BudgetState {
  requestsRemaining: number;
  complexityRemaining: number;
  /** Points of this query; undefined when it could not be priced. */
  complexity?: number;
}

/** One budget of a caller, in requests or in points of complexity. */
export interface Allowance {
  readonly type: 'REQUESTS' | 'COMPLEXITY';
  readonly requestedAmount: number;
  readonly allowedAmount: number;
  readonly remainingAmount: number;
  /** In milliseconds. */
  readonly period: number;
  /** When it is full again at the latest, in milliseconds since 1970. */
  readonly reset: number;
}

export interface Charge extends BudgetState {
  /** Row 14. No allowance was used. */
  refusal?: TrackerError;
}

/**
 * The two leaky buckets of a tracker user, shared by all of the user's keys and tokens and by all replicas
 * (docs/reference/limits.md#graphql-budgets), and the limit of a single query.
 */
@Injectable()
export class Budgets {
  private readonly requests: BucketPolicy;
  private readonly complexity: BucketPolicy;

  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly limits: Limits,
    private readonly clock: Clock,
    allowances: AllowanceBook,
  ) {
    this.requests = perHour(settings.trackerRequestsPerHour);
    this.complexity = perHour(settings.trackerComplexityPerHour);
    allowances.register((rest) => {
      const [product, kind, user = ''] = rest.split(':');
      if (product !== 'tracker' || (kind !== 'requests' && kind !== 'complexity')) return undefined;
      return { key: `tracker.${kind}`, policy: this[kind], user };
    });
  }

  /** Row 15, for a cost in tenths of a point; undefined when the query may run. */
  tooComplex(tenths: number): TrackerError | undefined {
    const allowed = this.settings.trackerMaxComplexity;
    return tenths > allowed * 10 ? tooComplex(tenths / 10, allowed) : undefined;
  }

  /**
   * Takes one request and this many tenths of a point, or neither. Both buckets are asked concurrently; if only one of
   * them refuses, the other's take is returned. Reads of the web UI are free (docs/reference/web-ui.md#reading).
   */
  async charge(viewer: Viewer, tenths: number, isRead = false): Promise<Charge> {
    if (viewer.ui && isRead) return this.full;
    const points = wholePoints(tenths);
    const allowances = viewer.sandbox?.allowances ?? '';
    // a pipeline's tools have budgets of their own
    const principal = viewer.releaseKey?.id ?? viewer.userId;
    const requestsKey = `${allowances}tracker:requests:${principal}`;
    const complexityKey = `${allowances}tracker:complexity:${principal}`;
    const [requests, complexity] = await Promise.all([
      this.limits.take(requestsKey, this.requests, 1),
      this.limits.take(complexityKey, this.complexity, points),
    ]);
    if (!requests.allowed) {
      if (points > 0) await this.limits.take(complexityKey, this.complexity, -points);
      return {
        requestsRemaining: requests.remaining,
        complexityRemaining: givenBack(complexity, points, this.complexity),
        refusal: budgetEmpty('requests', refused(requests, 1, this.requests)),
      };
    }
    if (!complexity.allowed) {
      await this.limits.take(requestsKey, this.requests, -1);
      return {
        requestsRemaining: givenBack(requests, 1, this.requests),
        complexityRemaining: complexity.remaining,
        refusal: budgetEmpty('complexity points', refused(complexity, points, this.complexity)),
      };
    }
    return { requestsRemaining: requests.remaining, complexityRemaining: complexity.remaining };
  }

  /** For answers that touch no bucket. */
  get full(): BudgetState {
    return { requestsRemaining: this.requests.capacity, complexityRemaining: this.complexity.capacity };
  }

  /** The values of the headers, for `rateLimitStatus`. */
  allowances({ requestsRemaining, complexityRemaining, complexity = 0 }: BudgetState): Allowance[] {
    const hour = { period: HOUR_SECONDS * 1000, reset: this.reset };
    const { requests, complexity: points } = this;
    return [
      {
        type: 'REQUESTS',
        requestedAmount: 1,
        allowedAmount: requests.capacity,
        remainingAmount: requestsRemaining,
        ...hour,
      },
      {
        type: 'COMPLEXITY',
        requestedAmount: complexity,
        allowedAmount: points.capacity,
        remainingAmount: complexityRemaining,
        ...hour,
      },
    ];
  }

  private get reset(): number {
    return this.clock.wallMs() + HOUR_SECONDS * 1000;
  }

  headers(state: BudgetState): Record<string, string> {
    const reset = String(this.reset);
    return {
      'X-RateLimit-Requests-Limit': String(this.requests.capacity),
      'X-RateLimit-Requests-Remaining': String(state.requestsRemaining),
      'X-RateLimit-Requests-Reset': reset,
      'X-RateLimit-Complexity-Limit': String(this.complexity.capacity),
      'X-RateLimit-Complexity-Remaining': String(state.complexityRemaining),
      'X-RateLimit-Complexity-Reset': reset,
      ...(state.complexity !== undefined && { 'X-Complexity': String(state.complexity) }),
    };
  }
}

const perHour = (limit: number): BucketPolicy => ({
  kind: 'bucket',
  capacity: limit,
  refillPerSecond: limit / HOUR_SECONDS,
});

const givenBack = (taken: TakeResult, cost: number, policy: BucketPolicy): number =>
  taken.allowed ? Math.min(policy.capacity, taken.remaining + cost) : taken.remaining;

const refused = (taken: TakeResult, requested: number, policy: BucketPolicy) => ({
  limit: policy.capacity,
  requested,
  remaining: taken.remaining,
  retryAfter: Math.ceil(taken.retryAfterMs / 1000),
});
