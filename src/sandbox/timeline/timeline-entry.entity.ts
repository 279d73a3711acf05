import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';

/** An entry as the previous version stored it; nothing reads it any more. The table goes with the next version. */
@Entity('timeline')
@Index('timeline_of_events', ['tenantId', 'eventId'], { unique: true, where: 'event_id IS NOT NULL' })
@Index('timeline_age', ['wall'])
export class TimelineEntry {
  @PrimaryColumn('bigint') tenantId: number;
  /** Assigned under the lock of the row in timelines: within a sandbox the order of commits. */
  @PrimaryColumn('bigint') seq: number;
  /** By the sandbox's clock, and by real time. */
  @Column('timestamptz') at: Date;
  @Column('timestamptz') wall: Date;
  @ExactText() kind: string;
  @Column('bigint', { nullable: true }) eventId: number | null;
  /** JSON objects as text: the fields that lists show, and the long ones (`writeBody` in shape.ts). */
  @Column('text', { nullable: true }) head: string | null;
  @Column('text', { nullable: true }) body: string | null;
  @Column('integer') bytes: number;
  /** Bytes of the timeline's entries up to and including this one. */
  @Column('bigint', { default: 0 }) endsAt: number;
}
