import { Column, Entity } from 'typeorm';
import { ExactKey } from '../database/columns.js';

/** A leaky bucket: `level` tokens were left at `at`. Times are microseconds since 1970. */
@Entity('rate_buckets')
export class RateBucket {
  @ExactKey() key: string;
  @Column('double precision') level: number;
  @Column('bigint') at: number;
  @Column('bigint') expiresAt: number;
  /** For the answer: the position of this key in the last batch, and the level that it found. */
  @Column('integer') place: number;
  @Column('double precision') was: number;
}
