import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { ExactKey } from '../database/columns.js';

/** A row before its first change since an epoch: what a reset restores. */
@Entity('sandbox_undo')
@Index('sandbox_undo_with_secrets', ['tbl'], {
  where: `tbl = ANY (ARRAY['apps', 'event_targets', 'tracker_webhooks', 'oauth_applications'])`,
})
export class RowImage {
  @PrimaryColumn('bigint') tenantId: number;
  @ExactKey() tbl: string;
  /** The row's primary key as a JSON object. */
  @ExactKey() key: string;
  @PrimaryColumn('integer') epoch: number;
  /** The row's values; null: it did not exist. */
  @Column('jsonb', { nullable: true }) image: unknown;
}
