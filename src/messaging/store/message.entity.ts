import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnsOf, ExactKey, ExactText } from '../../kernel/database/columns.js';

/**
 * A stored message (docs/reference/chat.md#messages). Times are microseconds since 1970. No foreign key to conversations:
 * every insert holds that row's lock already, and the check would cost each post.
 */
@Entity('messages')
@Index('messages_history_page', ['conversationId', 'ts'], { where: '(thread_ts IS NULL) OR is_broadcast' })
@Index('messages_thread_page', ['conversationId', 'threadTs', 'ts'], { where: 'thread_ts IS NOT NULL' })
export class Message {
  @ExactKey() conversationId: string;
  @PrimaryColumn('bigint') ts: number;
  /** The parent's ts; null for anything but a reply. */
  @Column('bigint', { nullable: true }) threadTs: number | null;
  @Column('boolean', { default: false }) isBroadcast: boolean;
  @ExactText({ nullable: true }) subtype: string | null;
  @ExactText({ nullable: true }) userId: string | null;
  @ExactText({ nullable: true }) botId: string | null;
  @Column('text') text: string;
  /** The message as clients see it, but for what changes after posting: counters, reactions, subscription. */
  @Column('text') wire: string;
  /** JSON text of `metadata`. */
  @Column('text', { nullable: true }) metadata: string | null;
  @Column('integer', { default: 0 }) replyCount: number;
  @Column('text', { array: true, default: [] }) replyUsers: string[];
  @Column('integer', { default: 0 }) replyUsersCount: number;
  @Column('bigint', { nullable: true }) latestReply: number | null;
  /** JSON text of `reactions` as on the wire; null when there is none. */
  @Column('text', { nullable: true }) reactions: string | null;
  /** Further JSON members of a pinned message; null when it is not. */
  @Column('text', { nullable: true }) pinned: string | null;
}

/** Columns of a message under their property names, for statements that load it whole. */
export const messageColumns = (alias: string): string => columnsOf(Message, alias);

/** What a deleted message with replies becomes (docs/reference/chat.md#threads). */
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
