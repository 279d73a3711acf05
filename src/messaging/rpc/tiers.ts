import { scaled, type Policy } from '../../kernel/limits/limits.js';
import type { Allowance } from '../../kernel/limits/throttler-storage.js';
import type { Identity } from '../access/identity.js';
import type { Tier } from './rpc-call.js';
import type { Method } from './method-registry.js';

/** docs/reference/chat.md#rate-tiers, before the sandbox's or the server's multiplier. */
export const TIERS: Readonly<Record<Tier, Policy>> = {
  2: { kind: 'window', limit: 20, windowMs: 60_000 },
  3: { kind: 'window', limit: 50, windowMs: 60_000 },
  4: { kind: 'window', limit: 100, windowMs: 60_000 },
  special: { kind: 'bucket', capacity: 5, refillPerSecond: 1 },
  search: { kind: 'window', limit: 10, windowMs: 60_000 },
};

/** Scaled policies by multiplier: a server sees few different ones, and what nobody uses any more is forgotten. */
const scaledTiers = new Map<string, Policy | null>();

/** What a tier allows where allowances are scaled so; null: no end of calls. */
export function policyOf(tier: Tier, multiplier: number): Policy | null {
  const key = `${tier}:${multiplier}`;
  const known = scaledTiers.get(key);
  if (known !== undefined) return known;
  const policy = scaled(TIERS[tier], multiplier);
  if (scaledTiers.size > 1000) scaledTiers.clear();
  scaledTiers.set(key, policy);
  return policy;
}

/** A method's allowance for this app in this workspace (tier `search`: and this user), or for this user. @param conversationId special tier only */
export function allowanceKey(method: Method, caller: Identity, conversationId?: string): Allowance['key'] {
  const who = caller.app ? `${caller.app.id}:${caller.workspaceId}` : caller.userId;
  const key = `${caller.sandbox.allowances}${method.name}:${who}`;
  if (method.tier === 'search' && caller.app) return `${key}:${caller.userId}`;
  return conversationId === undefined ? key : `${key}:${conversationId}`;
}
