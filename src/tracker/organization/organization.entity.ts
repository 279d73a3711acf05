import { Entity, ForeignKey, Unique } from 'typeorm';
import { statement } from '../../kernel/database/statement.js';
import { keyedLoader } from '../store/keyed-loader.js';
import { columnsOf, ExactText } from '../../kernel/database/columns.js';
import { nullable, Row, Stored } from '../store/row.js';

@Entity('organizations')
@Unique(['tenantId'])
@Unique(['urlKey'])
export class Organization extends Row {
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Stored('bigint')
  tenantId: number;
  @Stored('text') name: string;
  @ExactText() urlKey: string;
  @Stored('text', { array: true, default: [] }) previousUrlKeys: string[];
  @Stored('text', nullable) logoUrl: string | null;
  @Stored('text', nullable) gitBranchFormat: string | null;
  @Stored('double precision', { default: 0 }) fiscalYearStartMonth: number;
  @Stored('bigint', { default: 0 }) lastSyncId: number;
}

/** By id; the caller's only. */
export const organizationById = keyedLoader<Organization, Organization | null>({
  statement: statement(
    'tracker_load_Organization',
    `SELECT g.id AS key, ${columnsOf(Organization, 'g')} FROM organizations g WHERE g.id = ANY($1::uuid[])`,
  ),
  values: (ids, viewer) => [ids.filter((id) => id === viewer.organizationId)],
  answer: ([organization]) => organization ?? null,
});
