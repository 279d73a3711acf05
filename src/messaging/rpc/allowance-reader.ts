import type { AllowanceFacts, AllowanceReader } from '../../kernel/limits/allowance-book.js';
import { scaled, type Policy } from '../../kernel/limits/limits.js';
import type { Tier } from './rpc-call.js';
import { TIERS } from './tiers.js';

/** How the keys read under which the methods, the control plane and incoming webhooks count. */
export function chatAllowances(tierOf: (method: string) => Tier | undefined): AllowanceReader {
  return (rest, { rateLimitMultiplier }) => {
    const [name = '', ...parts] = rest.split(':');
    const within = (tier: Tier | undefined, facts: (policy: Policy) => AllowanceFacts): AllowanceFacts | undefined => {
      const policy = tier === undefined ? null : scaled(TIERS[tier], rateLimitMultiplier);
      return policy ? facts(policy) : undefined;
    };
    if (name === 'control') {
      const [, user = '', app = ''] = parts;
      return within(3, (policy) => ({ key: 'control', policy, user, ...(app !== '' && { app }) }));
    }
    if (name === 'incoming-webhook') {
      const [webhook = ''] = parts;
      return within('special', (policy) => ({ key: 'webhooks.incoming', policy, webhook }));
    }
    const tier = tierOf(name);
    const [who = ''] = parts;
    const isApp = who.startsWith('A');
    const channel = tier === 'special' ? parts.at(-1) : undefined;
    return within(tier, (policy) => ({
      key: name,
      policy,
      ...(isApp ? { app: who } : { user: who }),
      ...(channel !== undefined && { channel }),
    }));
  };
}
