import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import type { Allowance } from '../../kernel/limits/throttler-storage.js';
import { isVisible } from '../access/conversation-access.js';
import { Identities, type Identified } from '../access/identities.js';
import { methodsFor } from '../access/identity.js';
import { clean, hasEnded, isAppToken } from './credentials.js';
import type { Method } from './method-registry.js';
import { refusalOf } from './scope.guard.js';
import { allowanceKey, policyOf } from './tiers.js';

/**
 * Several processes share the store: who calls is remembered, and one statement proves that they are still who they
 * were and takes their allowance (docs/decisions/remembered-callers.md). For calls that nothing speaks against as far as
 * is remembered; all others are checked step by step.
 */
@Injectable()
export class RememberedCalls {
  constructor(
    private readonly identities: Identities,
    private readonly clock: Clock,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** Who calls, and what was taken for them; undefined where they are not remembered, or not who they were. */
  async prove(
    method: Method,
    token: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<(Identified & { readonly allowance: Allowance }) | undefined> {
    if (method.isHandshake || method.isAnonymous || !isAppToken(token)) return undefined;
    const remembered = this.identities.recall(sha256Hex(token), clean(args['channel']));
    if (!remembered) return undefined;
    const { identity, conversation } = remembered;
    if (hasEnded(identity, this.clock) || !method.tokens.includes(identity.kind)) return undefined;
    if (!method.isCore && methodsFor(identity, this.settings) === 'core') return undefined;
    if (identity.sandbox.hasFaults || refusalOf(method, identity, this.settings)) return undefined;
    const policy = policyOf(method.tier, identity.sandbox.rateLimitMultiplier);
    if (!policy) return undefined;
    const isSpecial = method.tier === 'special';
    if (isSpecial && !(conversation && isVisible(conversation))) return undefined;
    const key = allowanceKey(method, identity, isSpecial ? conversation?.id : undefined);
    // the allowance is counted in its time
    this.clock.enter(identity.sandbox);
    const taken = await this.identities.takeAs(remembered, key, policy);
    return taken && { identity, conversation, allowance: { key, policy, taken } };
  }
}
