import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ExactKey } from '../../kernel/database/columns.js';

/** Who replied to a thread and how often, so that counters cost the same in a thread of ten and of ten thousand. */
@Entity('thread_repliers')
@ForeignKey('messages', ['conversationId', 'threadTs'], ['conversationId', 'ts'], { onDelete: 'CASCADE' })
export class ThreadReplier {
  @ExactKey() conversationId: string;
  @PrimaryColumn('bigint') threadTs: number;
  /** A user id, or the bot id of a bot_message (docs/reference/chat.md#threads). */
  @ExactKey() replier: string;
  @Column('integer') replies: number;
  @Column('bigint') firstTs: number;
}
