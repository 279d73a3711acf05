import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Where a sandbox's timeline is. */
@Entity('timelines')
export class TimelineState {
  @PrimaryColumn('bigint') tenantId: number;
  @Column('bigint', { default: 0 }) lastSeq: number;
  /** Waits begin here unless they say otherwise. */
  @Column('bigint', { default: 0 }) mark: number;
  /** Entries up to here were taken away by hand. */
  @Column('bigint', { default: 0 }) clearedSeq: number;
  /** Counts up with every clearing, so that streams notice. */
  @Column('integer', { default: 0 }) clearings: number;
  /**
   * The highest event with a place, and from which on events are looked over: a transaction may commit late under a
   * lower id, so that one moves after the other with some seconds between them.
   */
  @Column('bigint', { default: 0 }) eventsTo: number;
  @Column('bigint', { default: 0 }) eventsPivot: number;
  @Column('bigint', { default: 0 }) eventsFrom: number;
  @Column('timestamptz', { default: () => 'clock_timestamp()' }) rotatedAt: Date;
  /** Bytes of all entries that there ever were. */
  @Column('bigint', { default: 0 }) bytes: number;
  /** Entries up to here were taken away to make room. */
  @Column('bigint', { default: 0 }) trimmedSeq: number;
}
