import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { ExactText } from '../database/columns.js';

/** An event in the append-only log of both products. `data` is JSON kept as text: it is passed on, never queried. */
@Entity('events')
@Index('events_of_tenant', ['tenantId', 'id'])
export class LoggedEvent {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id: number;
  @Column('bigint') tenantId: number;
  @ExactText() product: string;
  @ExactText() kind: string;
  @ExactText() room: string;
  @Column('bigint', { nullable: true }) syncId: number | null;
  @Column('text') data: string;
  @Column('timestamptz', { default: () => 'clock_timestamp()' }) recordedAt: Date;
  /** The request that caused the event, by which the effects of a call are found. Null when no request did. */
  @ExactText({ nullable: true }) cause: string | null;
  /** The sandbox's clock when it was recorded: setting the clock later does not move the event. */
  @Column('bigint', { nullable: true }) clock: number | null;
  /** What the ids of its deliveries are derived from; null: they are random. */
  @Column('text', { nullable: true }) draw: string | null;
}
