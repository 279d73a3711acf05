import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';

/** The outcome of a sandbox's delivery, kept for an hour. */
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
  /** The target, without secrets. */
  @Column('text', { nullable: true }) url: string | null;
}
