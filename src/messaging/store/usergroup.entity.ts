import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A name for some of a workspace's users (docs/reference/chat.md#user-groups). Times are seconds. */
@Entity('usergroups')
@Index('usergroups_name', ['workspaceId', 'name'], { unique: true })
@Index('usergroups_handle', ['workspaceId', 'handle'], { unique: true })
export class Usergroup {
  @ExactKey() id: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  @Column('text') name: string;
  @ExactText() handle: string;
  @Column('text', { default: '' }) description: string;
  @ExactText({ array: true, default: [] }) userIds: string[];
  /** Public channels that its members are meant to be in. */
  @ExactText({ array: true, default: [] }) channelIds: string[];
  /** The same, private ones. */
  @ExactText({ array: true, default: [] }) groupIds: string[];
  @ExactText() createdBy: string;
  @ExactText() updatedBy: string;
  /** Null: it is enabled. */
  @ExactText({ nullable: true }) deletedBy: string | null;
  @Column('bigint') createdAt: number;
  @Column('bigint') updatedAt: number;
  @Column('bigint', { nullable: true }) deletedAt: number | null;
}
