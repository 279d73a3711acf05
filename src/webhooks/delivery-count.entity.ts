import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { ExactKey } from '../kernel/database/columns.js';

/** Attempts per minute, for the rule that disables a target by its failure rate. Losing rows does no harm. */
@Entity('delivery_counts')
@Index('delivery_counts_age', ['minute'])
export class DeliveryCount {
  @ExactKey() targetId: string;
  @PrimaryColumn('integer') minute: number;
  @Column('integer') attempts: number;
  @Column('integer') failures: number;
}
