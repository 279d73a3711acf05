import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import type { TakeResult } from '../../kernel/limits/limits.js';
import type { Allowance } from '../../kernel/limits/throttler-storage.js';
import { isVisible } from '../access/conversation-access.js';
import { Identities, type Remembered, type ProvenCaller } from '../access/identities.js';
import { methodsFor } from '../access/identity.js';
import { clean, isAppToken } from './credentials.js';
import type { Method } from './method-registry.js';
import { RecentRefusals } from './recent-refusals.js';
import type { RememberedCall } from './rpc-call.js';
import { refusalOf } from './scope.guard.js';
import { allowanceKey, policyOf } from './tiers.js';

/** Who was remembered is not who they were: nothing was taken, and nothing may come of the call before it is checked again. */
export class OutdatedCaller extends Error {}

/**
 * The short way in: who calls is remembered, and one statement proves that and takes the allowance. It is for calls that
 * nothing speaks against as far as is remembered; all others are checked step by step.
 */
@Injectable()
export class RememberedCalls {
  constructor(
    private readonly identities: Identities,
    private readonly clock: Clock,
    private readonly refusals: RecentRefusals,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  begin(method: Method, token: string, args: Readonly<Record<string, unknown>>): RememberedCall | undefined {
    if (method.isHandshake || method.isAnonymous || !isAppToken(token)) return undefined;
    const remembered = this.identities.recall(sha256Hex(token), clean(args['channel']));
    if (!remembered) return undefined;
    const { identity, conversation } = remembered;
    if (!method.isCore && methodsFor(identity, this.settings) === 'core') return undefined;
    if (identity.sandbox.hasFaults || refusalOf(method, identity, this.settings)) return undefined;
    const policy = policyOf(method.tier, identity.sandbox.rateLimitMultiplier);
    if (!policy) return undefined;
    const isSpecial = method.tier === 'special';
    if (isSpecial && !(conversation && isVisible(conversation))) return undefined;
    const key = allowanceKey(method, identity, isSpecial ? conversation?.id : undefined);
    if (this.refusals.has(key)) return undefined;
    // the allowance is counted in its time
    this.clock.enter(identity.sandbox.time);
    const call = this.callOf(remembered, { key, policy });
    // heard by who waits for it, if the call gets so far
    if (!method.isBatched) call.standing().catch(() => undefined);
    return call;
  }

  /** The next call of this token about the same conversation is checked step by step. */
  forget(token: string, args: Readonly<Record<string, unknown>>): void {
    const remembered = this.identities.recall(sha256Hex(token), clean(args['channel']));
    if (remembered) this.identities.forget(remembered);
  }

  private callOf(remembered: Remembered, { key, policy }: Pick<Allowance, 'key' | 'policy'>): RememberedCall {
    const { identity, conversation } = remembered;
    let proven: Promise<ProvenCaller | undefined> | undefined;
    const standing = (): Promise<ProvenCaller | undefined> =>
      (proven ??= this.identities.takeAs(remembered, key, policy));
    const taken = async (): Promise<TakeResult> => {
      const found = await standing();
      if (!found) throw new OutdatedCaller();
      return found.taken;
    };
    return {
      identity,
      conversation,
      allowance: { key, policy },
      standing,
      taken,
      pending: (refuse) => this.identities.pendingTake(remembered, key, policy, () => refuse(taken())),
    };
  }
}
