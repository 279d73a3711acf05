import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { ExactText } from '../kernel/database/columns.js';

/**
 * An event on its way to a target, deleted when it was answered or given up. No foreign keys: checking them would lock
 * the target's row for every event that is written. The engine deletes rows whose target is gone.
 */
@Entity('deliveries')
@Index('deliveries_first', ['targetId', 'id'], { where: 'attempt = 0' })
@Index('deliveries_retry', ['nextAt'], { where: 'attempt > 0' })
@Index('deliveries_retry_of_target', ['targetId'], { where: 'attempt > 0' })
@Index('deliveries_of_event', ['eventId'])
@Index('deliveries_held', ['targetId', 'id'], { where: 'attempt < 0' })
@Index('deliveries_held_due', ['nextAt'], { where: '(attempt < 0) AND (next_at IS NOT NULL)' })
export class Delivery {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id: number;
  @ExactText() targetId: string;
  @Column('bigint') eventId: number;
  /** Data that the product needs at each attempt: to whom the event was visible, an id of the delivery. */
  @ExactText({ nullable: true }) identity: string | null;
  /** Attempts made; 0 = waiting in the target's lane. */
  @Column('smallint', { default: 0 }) attempt: number;
  /** After the first failure: when the next attempt is due. While an attempt runs: when it counts as lost. */
  @Column('timestamptz', { nullable: true }) nextAt: Date | null;
  /** Why the previous attempt failed (docs/reference/events.md#delivery). */
  @ExactText({ nullable: true }) reason: string | null;
  /**
   * A held delivery is outside the queue: `attempt` is -1 - (attempts made), `next_at` when it is released
   * automatically.
   */
  @ExactText({ nullable: true }) heldBy: string | null;
  /**
   * A retry or a delayed delivery of a sandbox whose time is stopped: when it is due by that time, in microseconds;
   * `next_at` is infinity then. `held_by` of a retry is 'attempt' while one is in flight, and `next_at` when that
   * counts as lost.
   */
  @Column('bigint', { nullable: true }) dueAt: number | null;
}
