import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { ExactKey } from '../database/columns.js';

/**
 * How many connections to the realtime channel a credential has in a process; rows of a process that has ended expire.
 */
@Entity('socket_seats')
@Index('socket_seats_lapsed', ['until'])
export class SocketSeat {
  /** SHA-256 (hex). */
  @ExactKey() credential: string;
  @PrimaryColumn('uuid') process: string;
  @Column('integer') seats: number;
  @Column('timestamptz') until: Date;
}
