import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** An ephemeral message, kept for clicks on it and for the person's screen. */
@Entity('ephemeral_messages')
@Index('ephemeral_messages_of_user', ['workspaceId', 'userId', 'ts'])
@Index('ephemeral_messages_age', ['ts'])
@Index('ephemeral_messages_stored', ['storedAt'])
export class EphemeralMessage {
  @ForeignKey('conversations', { onDelete: 'CASCADE' })
  @ExactKey()
  conversationId: string;
  @ExactKey() userId: string;
  @PrimaryColumn('bigint') ts: number;
  @ExactText() workspaceId: string;
  @ExactText({ nullable: true }) appId: string | null;
  @Column('text') wire: string;
  /** Real time, for sandboxes whose clock is stopped. */
  @Column('timestamptz', { default: () => 'now()' }) storedAt: Date;
}
