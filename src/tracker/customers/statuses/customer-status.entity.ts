import { registerEnumType } from '@nestjs/graphql';
import { Entity, ForeignKey, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { constant, longText, number, text, word } from '../../entity/fields.js';
import { Color } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { CUSTOMER_STATUSES } from '../../values/customer-statuses.js';

export enum CustomerStatusType {
  active = 'active',
  inactive = 'inactive',
}
registerEnumType(CustomerStatusType, { name: 'CustomerStatusType' });

/** A stage of customers (docs/reference/tracker.md#customer). */
@Entity('customer_statuses')
@Index('customer_statuses_page', ['organizationId', 'createdAt', 'id'])
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class CustomerStatus extends rowOf({
  name: text({ create: 'optional', seedDefault: false }),
  displayName: text({ create: 'optional', seedDefault: true, filter: false }),
  description: longText({ nullable: true }),
  color: text({ rules: [Color()], seedDefault: true }),
  type: word({
    oneOf: Object.values(CustomerStatusType),
    enum: () => CustomerStatusType,
    nullable: true,
    create: false,
    update: false,
  }),
  position: number({ default: 0 }),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    CustomerStatus: CustomerStatus;
  }
}

export const customerStatuses = declareEntity('CustomerStatus', CustomerStatus, {
  alias: 'cs',
  plural: 'customerStatuses',
  payloadKey: 'status',
  isUnfiltered: true,
  event: { word: 'customerStatus' },
  mutations: ['create', 'update', 'delete'],
  seeds: {
    as: 'customer_statuses',
    unique: 'name',
    isFound: true,
    order: (a) => `${a}.position, ${a}.created_at`,
    filled: ({ index, values }) => ({
      position: CUSTOMER_STATUSES.length + index,
      displayName: values['name'],
      color: '#bec2c8',
    }),
  },
  changes: { name: 'customer_status' },
  title: (a) => `${a}.name`,
});
