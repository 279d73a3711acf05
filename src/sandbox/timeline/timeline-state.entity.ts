import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The state of a sandbox's timeline. */
@Entity('timelines')
export class TimelineState {
  @PrimaryColumn('bigint') tenantId: number;
  @Column('bigint', { default: 0 }) lastSeq: number;
  /** Waits begin here unless they name another position. */
  @Column('bigint', { default: 0 }) mark: number;
  /** Entries up to here were cleared by a call. */
  @Column('bigint', { default: 0 }) clearedSeq: number;
  /** Incremented with every clearing, so that streams notice. */
  @Column('integer', { default: 0 }) clearings: number;
  /**
   * The highest event with a position, and the event from which later ones are checked: a transaction may commit late
   * under a lower id, so the second follows the first with a delay of some seconds.
   */
  @Column('bigint', { default: 0 }) eventsTo: number;
  @Column('bigint', { default: 0 }) eventsPivot: number;
  @Column('bigint', { default: 0 }) eventsFrom: number;
  @Column('timestamptz', { default: () => 'clock_timestamp()' }) rotatedAt: Date;
  /** Total bytes of all entries ever written. */
  @Column('bigint', { default: 0 }) bytes: number;
  /** Entries up to here were deleted to make room. */
  @Column('bigint', { default: 0 }) trimmedSeq: number;
}
