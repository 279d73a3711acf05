import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { columnsOf, ExactKey, ExactText } from '../../kernel/database/columns.js';

export type ConversationType = 'public' | 'private' | 'im' | 'mpim';

/**
 * A channel, direct message or group direct message (docs/reference/chat.md#conversations). Times are microseconds
 * since 1970.
 */
@Entity('conversations')
@Check('conversations_type_check', `type IN ('public', 'private', 'im', 'mpim')`)
@Index('conversations_name', ['workspaceId', 'name'], {
  unique: true,
  where: `type = ANY (ARRAY['public', 'private'])`,
})
@Index('conversations_members_key', ['workspaceId', 'membersKey'], { unique: true })
@Index('conversations_page', { synchronize: false })
@Index('conversations_live_page', { synchronize: false })
export class Conversation {
  @ExactKey() id: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  @ExactText() type: ConversationType;
  @ExactText({ nullable: true }) name: string | null;
  /** Ims and mpims: the sorted ids of all members, so that a set of people has one conversation. */
  @ExactText({ nullable: true }) membersKey: string | null;
  @ExactText() creatorId: string;
  @Column('boolean', { default: false }) isGeneral: boolean;
  @Column('boolean', { default: false }) isArchived: boolean;
  @Column('text', { default: '' }) topic: string;
  @ExactText({ default: '' }) topicCreator: string;
  /** Seconds. */
  @Column('bigint', { default: 0 }) topicSetAt: number;
  @Column('text', { default: '' }) purpose: string;
  @ExactText({ default: '' }) purposeCreator: string;
  /** Seconds. */
  @Column('bigint', { default: 0 }) purposeSetAt: number;
  /** Newest first. */
  @Column('text', { array: true, default: [] }) previousNames: string[];
  @Column('integer', { default: 0 }) memberCount: number;
  @Column('bigint') createdAt: number;
  @Column('bigint') updatedAt: number;
  /** The newest ts assigned here; the next is greater (docs/reference/chat.md#timestamps). */
  @Column('bigint', { default: 0 }) lastTs: number;
  /**
   * Incremented with every membership change: a statement that waited for this row detects that it read older members.
   */
  @Column('integer', { default: 0, select: false }) membersVersion?: number;
  @Column('integer', { default: 0 }) pinCount: number;
}

/** Columns of a conversation under their property names, for statements that load it whole, or without some. */
export const conversationColumns = (alias: string, without?: readonly (keyof Conversation)[]): string =>
  columnsOf(Conversation, alias, without);
