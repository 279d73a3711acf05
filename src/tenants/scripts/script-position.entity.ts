import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** How far the timeline of a sandbox was compared with its script. */
@Entity('script_positions')
export class ScriptPosition {
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @PrimaryColumn('bigint')
  tenantId: number;
  @Column('bigint', { default: 0 }) position: number;
}
