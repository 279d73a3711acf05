import { Column, Entity } from 'typeorm';
import { ExactKey } from '../database/columns.js';

/**
 * A sliding window. Slot i: upto[i] calls were accepted until at[i], counted from the row's beginning; `base` of them
 * have left the window, `total` were accepted in all. Times are microseconds since 1970.
 */
@Entity('rate_windows')
export class RateWindow {
  @ExactKey() key: string;
  @Column('bigint', { array: true }) at: number[];
  @Column('bigint', { array: true }) upto: number[];
  @Column('bigint') base: number;
  @Column('bigint') total: number;
  @Column('bigint') expiresAt: number;
  /**
   * For the answer: the position of this key in the last batch, and the number of calls in the window that it found.
   */
  @Column('integer') place: number;
  @Column('bigint') was: number;
}
