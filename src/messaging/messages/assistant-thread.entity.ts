import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** What an assistant shows of a thread. */
@Entity('assistant_threads')
@Index('assistant_threads_due', ['statusUntil'], { where: 'status_until IS NOT NULL' })
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
  /** The name and icon under which the status is shown; null: the app's own. */
  @Column('text', { nullable: true }) username: string | null;
  @Column('text', { nullable: true }) iconEmoji: string | null;
  @Column('text', { nullable: true }) iconUrl: string | null;
  /** When the status ends, in microseconds by the sandbox's clock; null: there is none. */
  @Column('bigint', { nullable: true }) statusUntil: number | null;
  @Column('text', { nullable: true }) title: string | null;
  @Column('jsonb', { default: [] }) prompts: unknown;
  @Column('text', { nullable: true }) promptsTitle: string | null;
  @Column('bigint') updatedAt: number;
}
