import type { Tx } from '../../kernel/database/db.js';
import type { EntityNeeds } from '../entity/service.js';
import { page, type PageArgs } from '../query/page.js';
import type { Loaders } from '../query/loaders.js';
import { brokenRule, invalidArgument } from '../values/errors.js';
import { Customer } from './customer.entity.js';
import { lockCustomers } from './customers.queries.js';
import type { CustomerStatus } from './statuses/customer-status.entity.js';
import type { CustomerTier } from './tiers/customer-tier.entity.js';

/* What statuses and tiers of customers have in common. */

type Stage = typeof CustomerStatus | typeof CustomerTier;

/** By their position. */
export const stagesByPosition = <K extends 'CustomerStatus' | 'CustomerTier'>(
  { db }: EntityNeeds,
  entity: K,
  { viewer, now }: Loaders,
  args: PageArgs,
) => {
  const keys = (a: string) => [{ sql: `${a}.position`, kind: 'number' as const, descending: false }];
  // a direction that was asked for goes before
  return page(db, entity, { viewer, now, args, ...(!args.orderBy && { leading: { name: 'position', keys } }) });
};

/** The one stands for the other. @throws invalidArgument without both */
export function namesOf(name: string | undefined, displayName: string | undefined) {
  const one = name ?? displayName;
  if (one === undefined) throw invalidArgument('name', 'isNotEmpty', 'name should not be empty');
  return { name: one, displayName: displayName ?? one };
}

/** After the last one. */
export async function nextPosition(tx: Tx, stage: Stage, organizationId: string): Promise<number> {
  const last = await tx.sql.maximum(stage as typeof CustomerTier, 'position', { organizationId });
  return last === null ? 0 : last + 1;
}

/** @throws brokenRule for one that customers have, also by a change that is under way */
export async function requireUnused(
  tx: Tx,
  property: 'statusId' | 'tierId',
  { id, organizationId }: Pick<CustomerTier, 'id' | 'organizationId'>,
): Promise<void> {
  await lockCustomers(tx, organizationId);
  if (await tx.sql.existsBy(Customer, { [property]: id })) {
    throw brokenRule(`the ${property === 'statusId' ? 'status' : 'tier'} is in use`);
  }
}
