import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** What an assistant shows of a thread. */
@Entity('assistant_threads')
export class AssistantThread {
  @ForeignKey('conversations', { onDelete: 'CASCADE' })
  @ExactKey()
  conversationId: string;
  /** 0: prompts of the conversation as a whole. */
  @PrimaryColumn('bigint') threadTs: number;
  @ExactText() workspaceId: string;
  /** The app's bot; empty for a person without an app. */
  @ExactKey() botId: string;
  @Column('text', { default: '' }) status: string;
  @Column('jsonb', { default: [] }) loadingMessages: unknown;
  @Column('text', { nullable: true }) title: string | null;
  @Column('jsonb', { default: [] }) prompts: unknown;
  @Column('text', { nullable: true }) promptsTitle: string | null;
  @Column('bigint') updatedAt: number;
}
