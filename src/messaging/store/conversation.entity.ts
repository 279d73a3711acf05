import { Column, Entity, PrimaryColumn } from 'typeorm';

export type ConversationType = 'public' | 'private' | 'im' | 'mpim';

/**
 * A channel, direct message or group direct message (docs/reference/chat.md#conversations). Times are microseconds
 * since 1970.
 */
@Entity('conversations')
export class Conversation {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'workspace_id' }) workspaceId: string;
  @Column('text') type: ConversationType;
  @Column('text', { nullable: true }) name: string | null;
  /** ims and mpims: the sorted ids of all members. */
  @Column('text', { name: 'members_key', nullable: true }) membersKey: string | null;
  @Column('text', { name: 'creator_id' }) creatorId: string;
  @Column('boolean', { name: 'is_general' }) isGeneral: boolean;
  @Column('boolean', { name: 'is_archived' }) isArchived: boolean;
  @Column('text') topic: string;
  @Column('text', { name: 'topic_creator' }) topicCreator: string;
  /** Seconds. */
  @Column('bigint', { name: 'topic_set_at' }) topicSetAt: number;
  @Column('text') purpose: string;
  @Column('text', { name: 'purpose_creator' }) purposeCreator: string;
  /** Seconds. */
  @Column('bigint', { name: 'purpose_set_at' }) purposeSetAt: number;
  /** Newest first. */
  @Column('text', { name: 'previous_names', array: true }) previousNames: string[];
  @Column('integer', { name: 'member_count' }) memberCount: number;
  @Column('bigint', { name: 'created_at' }) createdAt: number;
  @Column('bigint', { name: 'updated_at' }) updatedAt: number;
  /** The newest ts given out here. */
  @Column('bigint', { name: 'last_ts' }) lastTs: number;
  @Column('integer', { name: 'pin_count' }) pinCount: number;
}

/** Columns of a conversation under their property names, for statements that load it whole. */
export const conversationColumns = (alias: string): string =>
  Object.entries({
    id: 'id',
    workspaceId: 'workspace_id',
    type: 'type',
    name: 'name',
    membersKey: 'members_key',
    creatorId: 'creator_id',
    isGeneral: 'is_general',
    isArchived: 'is_archived',
    topic: 'topic',
    topicCreator: 'topic_creator',
    topicSetAt: 'topic_set_at',
    purpose: 'purpose',
    purposeCreator: 'purpose_creator',
    purposeSetAt: 'purpose_set_at',
    previousNames: 'previous_names',
    memberCount: 'member_count',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
    lastTs: 'last_ts',
    pinCount: 'pin_count',
  })
    .map(([property, column]) => `${alias}.${column} AS "${property}"`)
    .join(', ');
