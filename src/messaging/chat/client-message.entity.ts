import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey } from '../../kernel/database/columns.js';

/** A post that was sent with a `client_msg_id` (docs/reference/chat.md#messages). */
@Entity('client_messages')
@Index('client_messages_age', ['createdAt'])
export class ClientMessage {
  @ForeignKey('conversations', { onDelete: 'CASCADE' })
  @ExactKey()
  conversationId: string;
  @ExactKey() authorId: string;
  /** SHA-256 (hex) of the `client_msg_id`. */
  @ExactKey() hash: string;
  /** Microseconds; 0 while the message is being posted. */
  @Column('bigint', { default: 0 }) ts: number;
  @Column('timestamptz', { default: () => 'clock_timestamp()' }) createdAt: Date;
}
