import { Entity, ForeignKey, Index, Unique } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';
import { nullable, Row, Stored } from './row.js';

@Entity('organizations')
@Unique(['tenantId'])
@Index('organizations_url_key', ['urlKey'], { unique: true, where: 'has_own_ids IS NOT TRUE' })
export class Organization extends Row {
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Stored('bigint')
  tenantId: number;
  @Stored('text') name: string;
  @ExactText() urlKey: string;
  @Stored('text', { array: true, default: [] }) previousUrlKeys: string[];
  @Stored('text', nullable) logoUrl: string | null;
  @Stored('text', nullable) gitBranchFormat: string | null;
  /** How agents are to work in all its teams. */
  @Stored('text', nullable) agentGuidance: string | null;
  @Stored('double precision', { default: 0 }) fiscalYearStartMonth: number;
  @Stored('bigint', { default: 0 }) lastSyncId: number;
  /** Its ids, and its url key, mean something in its sandbox alone. Null: no. */
  @Stored('boolean', nullable) hasOwnIds: boolean | null;
}
