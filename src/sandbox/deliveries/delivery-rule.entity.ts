import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, Numbered } from '../../kernel/database/columns.js';

/** What to do with matching deliveries: hold, delay, drop, repeat. */
@Entity('delivery_rules')
@Index('delivery_rules_of_tenant', ['tenantId', 'place'])
export class DeliveryRule {
  @ExactKey() id: string;
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Column('bigint')
  tenantId: number;
  /** The order of creation, by which the first of several matching rules is chosen. */
  @Numbered()
  place: number;
  @Column('jsonb') onDelivery: unknown;
  @Column('jsonb') action: unknown;
  @Column('integer', { nullable: true }) times: number | null;
  @Column('integer', { default: 0 }) skip: number;
  @Column('bigint', { default: 0 }) seen: number;
  @Column('bigint', { default: 0 }) fired: number;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
