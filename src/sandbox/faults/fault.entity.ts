import { Column, Entity, Index } from 'typeorm';
import { ExactKey, ExactText, Numbered } from '../../kernel/database/columns.js';

/** What a test asked to go wrong, and for which calls. */
@Entity('faults')
@Index('faults_of_tenant', ['tenantId', 'place'])
export class Fault {
  @ExactKey() id: string;
  @Column('bigint') tenantId: number;
  /** The order in which they were made, which decides where several fit. */
  @Numbered()
  place: number;
  @Column('jsonb') onCall: unknown;
  @Column('jsonb') fault: unknown;
  @ExactText({ nullable: true }) whenHit: string | null;
  @Column('integer', { nullable: true }) times: number | null;
  @Column('integer', { default: 0 }) skip: number;
  @Column('double precision', { nullable: true }) probability: number | null;
  @Column('bigint', { default: 1 }) randomSeed: number;
  /** Calls that matched, and those that were hit. */
  @Column('bigint', { default: 0 }) seen: number;
  @Column('bigint', { default: 0 }) fired: number;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
