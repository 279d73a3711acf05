import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';

/** How a delivery of a sandbox went, kept for an hour. */
@Entity('delivery_history')
@Index('delivery_history_of_tenant', ['tenantId', 'id'])
@Index('delivery_history_age', ['updatedAt'])
export class DeliveryRecord {
  @PrimaryColumn('bigint') id: number;
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Column('bigint')
  tenantId: number;
  @ExactText() targetId: string;
  @ExactText() product: string;
  @Column('bigint', { nullable: true }) eventId: number | null;
  @ExactText({ nullable: true }) identity: string | null;
  @ExactText({ nullable: true }) publicEventId: string | null;
  @ExactText() kind: string;
  /** `retrying`, `done` or `failed`. */
  @ExactText() state: string;
  @Column('jsonb') attempts: unknown;
  @Column('timestamptz', { nullable: true }) nextRetryAt: Date | null;
  @Column('timestamptz') updatedAt: Date;
  /** Where it went, as far as that may be shown. */
  @Column('text', { nullable: true }) url: string | null;
}
