import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Consecutive entries of a sandbox: calls, events, deliveries (`page.ts` has the format). */
@Entity('timeline_pages')
@Index('timeline_pages_of_events', ['tenantId', 'lastEvent'], { where: 'last_event IS NOT NULL' })
@Index('timeline_pages_age', ['wall'])
export class TimelinePage {
  @PrimaryColumn('bigint') tenantId: number;
  /** Position of the last entry. */
  @PrimaryColumn('bigint') lastSeq: number;
  @Column('integer') entries: number;
  /** When the newest entry happened, by real time. */
  @Column('timestamptz') wall: Date;
  @Column('text', { array: true }) kinds: string[];
  /** Ids, ascending; their texts stay in the event log. */
  @Column('bigint', { array: true, nullable: true }) events: number[] | null;
  @Column('bigint', { nullable: true }) lastEvent: number | null;
  /** The fields that lists show, and the long ones. */
  @Column('text') heads: string;
  @Column('text') bodies: string;
  @Column('bigint') bytes: number;
  /** Bytes of the timeline's entries up to and including this page. */
  @Column('bigint', { default: 0 }) endsAt: number;
}
