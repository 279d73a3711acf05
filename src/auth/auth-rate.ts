import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { RestError } from '../kernel/http/http-error.js';
import { sha256Hex } from '../kernel/ids/ids.js';
import { Limits, type Policy } from '../kernel/limits/limits.js';
import type { Allowance } from '../kernel/limits/throttler-storage.js';

/** Each of these is counted separately. */
export type AuthRoute = 'login' | 'signup' | 'refresh';

const MINUTE_MS = 60_000;

/** Attempts that may wait for an earlier one of the same account; further ones are refused. */
const MAX_WAITING = 100;

/** How often passwords and refresh tokens may be tried (SVC_AUTH_RATE). A refusal is 429 `ratelimited`. */
@Injectable()
export class AuthRate {
  private readonly perAddress: Policy | null;
  private readonly perAccount: Policy | null;
  /** The newest running attempt of each account. */
  private readonly turns = new Map<string, Promise<unknown>>();
  private waiting = 0;

  constructor(
    @Inject(SETTINGS_TOKEN) { authRate, rateLimitMultiplier }: Settings,
    private readonly limits: Limits,
  ) {
    const policy = (limit: number): Policy | null =>
      limit === 0 || rateLimitMultiplier === 0 ? null : { kind: 'window', limit, windowMs: MINUTE_MS };
    this.perAddress = policy(authRate.address);
    this.perAccount = policy(authRate.account);
  }

  /** What calls from an address take; null: they are not counted. */
  ofAddress(route: AuthRoute, address: string): Allowance | null {
    return this.perAddress && { key: `auth:${route}:address:${address}`, policy: this.perAddress };
  }

  /**
   * Counts a failed attempt of an account, known or not.
   * @throws RestError 429 ratelimited when it exceeds the limit
   */
  async refused(route: AuthRoute, account: string): Promise<void> {
    if (this.perAccount === null) return;
    const taken = await this.limits.take(keyOf(route, account), this.perAccount);
    if (!taken.allowed) throw tooMany(taken.retryAfterMs);
  }

  /**
   * Runs an account's attempts one after the other, so that concurrency does not allow more of them. `attempt` returns
   * null for a failure, which counts.
   * @throws RestError 429 ratelimited, also for a correct password, and when too many wait
   */
  async attempt<T>(route: AuthRoute, account: string, attempt: () => Promise<T | null>): Promise<T | null> {
    const policy = this.perAccount;
    if (policy === null) return attempt();
    const key = keyOf(route, account);
    return this.inTurn(key, async () => {
      const { remaining } = await this.limits.take(key, policy, 0);
      if (remaining === 0) await this.refused(route, account);
      const result = await attempt();
      if (result === null) await this.limits.take(key, policy);
      return result;
    });
  }

  private async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.turns.get(key);
    if (before !== undefined && this.waiting >= MAX_WAITING) throw new RestError(429, 'ratelimited', 1);
    this.waiting++;
    const mine = (before ?? Promise.resolve()).catch(() => undefined).then(work);
    this.turns.set(key, mine);
    try {
      return await mine;
    } finally {
      this.waiting--;
      if (this.turns.get(key) === mine) this.turns.delete(key);
    }
  }
}

const keyOf = (route: AuthRoute, account: string): string => `auth:${route}:account:${sha256Hex(account).slice(0, 32)}`;

const tooMany = (retryAfterMs: number): RestError =>
  new RestError(429, 'ratelimited', Math.max(1, Math.ceil(retryAfterMs / 1000)));
