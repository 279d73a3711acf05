import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../kernel/database/columns.js';

/** The engine's part of a subscription; its URL, secret and list of kinds stay in the product's own table. */
@Entity('delivery_targets')
@Index('delivery_targets_of_tenant', ['tenantId'])
export class DeliveryTarget {
  /** The subscription's own id. */
  @ExactKey() id: string;
  /** The dialect that loads and renders: `chat.events`, `chat.outgoing`, `tracker`. */
  @ExactText() product: string;
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Column('bigint')
  tenantId: number;
  @Column('boolean', { default: true }) enabled: boolean;
  /** HTTP status or retry reason of the last attempt. */
  @Column('text', { nullable: true }) lastStatus: string | null;
  /** Consecutive events that used up all their attempts. */
  @Column('integer', { default: 0 }) exhaustedInRow: number;
  /** The process that sends first attempts now, and until when. */
  @ExactText({ nullable: true }) laneOwner: string | null;
  @Column('timestamptz', { nullable: true }) laneUntil: Date | null;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
