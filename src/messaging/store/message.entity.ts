import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A stored message (docs/reference/chat.md#messages). Times are microseconds since 1970. */
@Entity('messages')
export class Message {
  @PrimaryColumn('text', { name: 'conversation_id' }) conversationId: string;
  @PrimaryColumn('bigint') ts: number;
  /** The parent's ts; null for anything but a reply. */
  @Column('bigint', { name: 'thread_ts', nullable: true }) threadTs: number | null;
  @Column('boolean', { name: 'is_broadcast' }) isBroadcast: boolean;
  @Column('text', { nullable: true }) subtype: string | null;
  @Column('text', { name: 'user_id', nullable: true }) userId: string | null;
  @Column('text', { name: 'bot_id', nullable: true }) botId: string | null;
  @Column('text') text: string;
  /** The message as clients see it, but for what changes after posting: counters, reactions, subscription. */
  @Column('text') wire: string;
  /** JSON text of `metadata`. */
  @Column('text', { nullable: true }) metadata: string | null;
  @Column('integer', { name: 'reply_count' }) replyCount: number;
  @Column('text', { name: 'reply_users', array: true }) replyUsers: string[];
  @Column('integer', { name: 'reply_users_count' }) replyUsersCount: number;
  @Column('bigint', { name: 'latest_reply', nullable: true }) latestReply: number | null;
  /** JSON text of `reactions` as on the wire; null when there is none. */
  @Column('text', { nullable: true }) reactions: string | null;
  /** Further JSON members of a pinned message; null when it is not. */
  @Column('text', { nullable: true }) pinned: string | null;
}

/** Columns of a message under their property names, for statements that load it whole. */
export const messageColumns = (alias: string): string =>
  Object.entries({
    conversationId: 'conversation_id',
    ts: 'ts',
    threadTs: 'thread_ts',
    isBroadcast: 'is_broadcast',
    subtype: 'subtype',
    userId: 'user_id',
    botId: 'bot_id',
    text: 'text',
    wire: 'wire',
    metadata: 'metadata',
    replyCount: 'reply_count',
    replyUsers: 'reply_users',
    replyUsersCount: 'reply_users_count',
    latestReply: 'latest_reply',
    reactions: 'reactions',
    pinned: 'pinned',
  })
    .map(([property, column]) => `${alias}.${column} AS "${property}"`)
    .join(', ');

/** Stands where a deleted message still has replies (docs/reference/chat.md#threads). */
export const TOMBSTONE = 'tombstone';

/** Subtypes of system messages: nobody edits, deletes or answers them (docs/reference/chat.md#system-messages). */
export const SYSTEM_SUBTYPES: ReadonlySet<string> = new Set([
  'channel_join',
  'channel_leave',
  'channel_topic',
  'channel_purpose',
  'channel_name',
  'channel_archive',
  'channel_unarchive',
]);
