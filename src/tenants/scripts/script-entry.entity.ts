import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** What a colleague does when something happens or at a time (docs/reference/sandboxes.md#colleagues). */
@Entity('script_entries')
export class ScriptEntry {
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @PrimaryColumn('bigint')
  tenantId: number;
  @PrimaryColumn('text') name: string;
  /** The order in which they were added. */
  @Column('integer') place: number;
  /** As documents have it. */
  @Column('jsonb') entry: unknown;
  /** Real time: what happened before does not set it off. */
  @Column('timestamptz') since: Date;
  /** How much matched it, and how often it was done. */
  @Column('bigint', { default: 0 }) seen: number;
  @Column('bigint', { default: 0 }) fired: number;
  /** What its last act was refused with. */
  @Column('text', { nullable: true }) error: string | null;
}
