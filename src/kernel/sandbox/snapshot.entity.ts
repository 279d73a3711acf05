import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey } from '../database/columns.js';

/** A named state of a sandbox: the epoch that began with it. */
@Entity('snapshots')
@Index('snapshots_name', ['tenantId', 'name'], { unique: true })
export class Snapshot {
  @ExactKey({ default: () => `new_public_id('Sn')` }) id: string;
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Column('bigint')
  tenantId: number;
  @Column('text') name: string;
  @Column('integer') epoch: number;
  @Column('bigint') rows: number;
  @Column('bigint') bytes: number;
  @Column('jsonb') clock: unknown;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
