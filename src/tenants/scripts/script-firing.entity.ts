import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** An act of a script that is due at a time, or was done. */
@Entity('script_firings')
@Index('script_firings_due', ['dueAt'], { where: 'done_at IS NULL' })
@Index('script_firings_of_request', ['tenantId', 'requestId'], { where: 'request_id IS NOT NULL' })
export class ScriptFiring {
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @PrimaryColumn('bigint')
  tenantId: number;
  @PrimaryColumn('text') name: string;
  /** Which of its entry's. */
  @PrimaryColumn('bigint') number: number;
  /** Microseconds by the sandbox's clock; among equal ones by place. */
  @Column('bigint') dueAt: number;
  @Column('bigint') place: number;
  /** Due at once: done while the clock is stopped, too. */
  @Column('boolean', { default: false }) immediate: boolean;
  @Column('text') act: string;
  /** Of the act, with what set it off filled in. */
  @Column('jsonb') fields: unknown;
  /** The request that set it off; null: the clock did. */
  @Column('text', { nullable: true }) cause: string | null;
  /** How many acts of the script led to it, itself included. */
  @Column('integer', { default: 1 }) chain: number;
  /** Of the call that does it, by which its effects are known. */
  @Column('text', { nullable: true }) requestId: string | null;
  /** Real time: a replica is doing it until then. */
  @Column('timestamptz', { nullable: true }) takenUntil: Date | null;
  @Column('timestamptz', { nullable: true }) doneAt: Date | null;
}
