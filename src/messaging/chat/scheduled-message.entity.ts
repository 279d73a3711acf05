import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A scheduled post. `post` holds the message and its author, ready to be posted. */
@Entity('scheduled_messages')
@Index('scheduled_messages_due', ['postAt', 'id'])
@Index('scheduled_messages_page', ['workspaceId', 'postAt', 'id'])
@Index('scheduled_messages_of_conversation', ['conversationId', 'postAt'])
export class ScheduledMessage {
  @ExactKey() id: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  @ForeignKey('conversations', { onDelete: 'CASCADE' })
  @ExactText()
  conversationId: string;
  /** Null: made by a person without an app. */
  @ExactText({ nullable: true }) appId: string | null;
  @ExactText() userId: string;
  /** Seconds. */
  @Column('bigint') postAt: number;
  @Column('bigint') createdAt: number;
  @Column('text') text: string;
  @Column('jsonb') post: unknown;
}
