import { Float, Int } from '@nestjs/graphql';
import { ArrayContains, Entity, type FindOneOptions, ForeignKey, Index } from 'typeorm';
import { newMark } from '../../kernel/ids/ids.js';
import { declareEntity, rowOf } from '../entity/declare.js';
import { computedBy, constant, int, number, reference, text, texts, url } from '../entity/fields.js';
import { typeNamed } from '../graphql/relations.js';
import { DateTime } from '../graphql/scalars.js';
import { nameOf, ownName, plain, timeSorts } from '../store/sort-keys.js';
import { bySlug } from '../store/define-entity.js';
import { CUSTOMER_STATUSES } from '../values/customer-statuses.js';
import { needCount, stagePosition } from '../store/customer-needs.queries.js';

/** Who uses what an organization makes (docs/reference/tracker.md#customer). */
@Entity('customers')
@Index('customers_page', ['organizationId', 'createdAt', 'id'])
@Index('customers_slug', ['organizationId', 'slugId'], { unique: true })
@Index('customers_of_status', ['statusId'])
@Index('customers_of_tier', ['tierId'], { where: 'tier_id IS NOT NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class Customer extends rowOf({
  name: text(),
  slugId: text({ create: false, update: false, filter: false, seed: false }),
  domains: texts({ default: [] }),
  externalIds: texts({ default: [] }),
  logoUrl: url({ nullable: true, filter: false }),
  mainSourceId: text({ nullable: true, max: 255, filter: false }),
  ownerId: reference('User', { nullable: true }),
  revenue: int({ nullable: true, least: 0 }),
  size: number({ nullable: true, least: 0, inputs: () => Int }),
  statusId: reference('CustomerStatus', {
    onDelete: 'CASCADE',
    create: 'optional',
    through: 'CustomerStatusFilter',
    seedDefault: CUSTOMER_STATUSES[0][0],
  }),
  tierId: reference('CustomerTier', { nullable: true, onDelete: 'SET NULL', through: 'CustomerTierFilter' }),
  ...computedBy(() => Float, 'approximateNeedCount'),
  ...computedBy(() => [typeNamed('CustomerNeed')], 'needs'),
  ...computedBy(() => String, 'url'),
  slackChannelId: constant(() => String, null),
  integration: constant(() => typeNamed('Integration'), null),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../store/entity-rows.js' {
  interface EntityRows {
    Customer: Customer;
  }
}

export const customers = declareEntity('Customer', Customer, {
  alias: 'cu',
  lookup: bySlug,
  // its list has an argument of another name
  isUnlisted: true,
  sorts: {
    ...timeSorts,
    approximateNeedCount: (a) => [{ sql: needCount(`x.customer_id = ${a}.id`), kind: 'number' }],
    name: ownName('name'),
    owner: nameOf('tracker_users', 'owner_id'),
    revenue: plain('revenue', 'number', true),
    size: plain('size', 'number', true),
    status: stagePosition('customer_statuses', 'status_id'),
    tier: stagePosition('customer_tiers', 'tier_id'),
  },
  event: { word: 'customer', fires: true },
  mutations: ['create', 'update', 'delete'],
  seeds: {
    as: 'customers',
    unique: 'name',
    isFound: true,
    filled: () => ({ slugId: newMark(12) }),
  },
  changes: { name: 'customer' },
  title: (a) => `${a}.name`,
});

/** The oldest customer with an id of another system. */
export const withExternalId = (organizationId: string, externalId: string): FindOneOptions<Customer> => ({
  where: { organizationId, externalIds: ArrayContains([externalId]) },
  order: { createdAt: 'ASC', id: 'ASC' },
});
