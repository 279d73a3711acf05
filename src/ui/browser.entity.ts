import { Column, Entity, Index } from 'typeorm';
import { ExactKey } from '../kernel/database/columns.js';

/** A signed-in browser, identified by the hash of its cookie. */
@Entity('browsers')
@Index('browsers_used', ['usedAt'])
export class Browser {
  @ExactKey() secretHash: string;
  @Column('timestamptz') usedAt: Date;
}
