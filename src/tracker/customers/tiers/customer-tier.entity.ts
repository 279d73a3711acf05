import { Entity, ForeignKey, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { constant, longText, number, text } from '../../entity/fields.js';
import { Color } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';

/** What customers pay for (docs/reference/tracker.md#customer). */
@Entity('customer_tiers')
@Index('customer_tiers_page', ['organizationId', 'createdAt', 'id'])
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class CustomerTier extends rowOf({
  name: text({ create: 'optional', seedDefault: false, filter: false }),
  displayName: text({ create: 'optional', seedDefault: true }),
  description: longText({ nullable: true }),
  color: text({ rules: [Color()], seedDefault: true }),
  position: number({ default: 0 }),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    CustomerTier: CustomerTier;
  }
}

export const customerTiers = declareEntity('CustomerTier', CustomerTier, {
  alias: 'ct',
  payloadKey: 'tier',
  isUnfiltered: true,
  event: { word: 'customerTier' },
  mutations: ['create', 'update', 'delete'],
  seeds: {
    as: 'customer_tiers',
    unique: 'name',
    isFound: true,
    order: (a) => `${a}.position, ${a}.created_at`,
    filled: ({ index, values }) => ({ position: index, displayName: values['name'], color: '#bec2c8' }),
  },
  changes: { name: 'customer_tier' },
  title: (a) => `${a}.name`,
});
