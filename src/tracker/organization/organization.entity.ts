import { Entity } from 'typeorm';
import { statement } from '../../kernel/database/statement.js';
import { keyedLoader } from '../store/keyed-loader.js';
import { columnsOf, nullable, Row, Stored } from '../store/row.js';

@Entity('organizations')
export class Organization extends Row {
  @Stored('bigint') tenantId: number;
  @Stored('text') name: string;
  @Stored('text') urlKey: string;
  @Stored('text', { array: true }) previousUrlKeys: string[];
  @Stored('text', nullable) logoUrl: string | null;
  @Stored('text', nullable) gitBranchFormat: string | null;
  @Stored('double precision') fiscalYearStartMonth: number;
  @Stored('bigint') lastSyncId: number;
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
