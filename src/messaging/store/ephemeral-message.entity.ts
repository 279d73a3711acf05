import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A message for one person's eyes only, kept for clicks on them and for what a person sees on the screen. */
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
  /** Real time: where a sandbox's clock stands, they go by this. */
  @Column('timestamptz', { default: () => 'now()' }) storedAt: Date;
}
