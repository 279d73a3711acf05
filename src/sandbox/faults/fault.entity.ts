import { Column, Entity, Index } from 'typeorm';
import { ExactKey, ExactText, Numbered } from '../../kernel/database/columns.js';

/** A failure that a test configured, and the calls it affects. */
@Entity('faults')
@Index('faults_of_tenant', ['tenantId', 'place'])
export class Fault {
  @ExactKey() id: string;
  @Column('bigint') tenantId: number;
  /** The order of creation, by which the first of several matching faults is chosen. */
  @Numbered()
  place: number;
  @Column('jsonb') onCall: unknown;
  @Column('jsonb') fault: unknown;
  @ExactText({ nullable: true }) whenHit: string | null;
  @Column('integer', { nullable: true }) times: number | null;
  @Column('integer', { default: 0 }) skip: number;
  @Column('double precision', { nullable: true }) probability: number | null;
  @Column('bigint', { default: 1 }) randomSeed: number;
  /** Calls that matched, and calls that were affected. */
  @Column('bigint', { default: 0 }) seen: number;
  @Column('bigint', { default: 0 }) fired: number;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
