import { Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** The chat half of a tenant. Its id is the wire's own (docs/reference/chat.md#ids). Times are microseconds since 1970. */
@Entity('workspaces')
@Unique(['tenantId'])
@Index('workspaces_domain', ['domain'], { unique: true, where: 'deleted_at IS NULL AND has_own_ids IS NOT TRUE' })
@Index('workspaces_default', ['isDefault'], { unique: true, where: 'is_default' })
@Index('workspaces_deleted', ['deletedAt'], { where: 'deleted_at IS NOT NULL' })
@Index('workspaces_made_by', ['creatorId'], { where: 'deleted_at IS NULL' })
export class Workspace {
  @ExactKey() id: string;
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Column('bigint')
  tenantId: number;
  @Column('text') name: string;
  @ExactText() domain: string;
  @Column('text', { nullable: true }) icon: string | null;
  @Column('boolean', { default: false }) isDefault: boolean;
  @ExactText() creatorId: string;
  @Column('bigint') createdAt: number;
  @Column('timestamptz', { nullable: true }) deletedAt: Date | null;
  /** Its ids, and its domain, mean something in its sandbox alone. Null: no. */
  @Column('boolean', { nullable: true }) hasOwnIds: boolean | null;
  /** What the release before counts in place of `sandboxes.id_draws`; goes with the next. */
  @Column('bigint', { nullable: true }) idDraws: number | null;
}
