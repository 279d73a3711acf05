import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A person opened a work object, and its app may present details (docs/reference/chat.md#work-objects). */
@Entity('entity_requests')
@Index('entity_requests_of_user', ['workspaceId', 'userId', 'appId', 'triggerId'])
export class EntityRequest {
  @ForeignKey('triggers', { onDelete: 'CASCADE' })
  @ExactKey()
  triggerId: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  @ExactText() appId: string;
  @ExactText() userId: string;
  @ExactText() conversationId: string;
  /** Microseconds. */
  @Column('bigint') messageTs: number;
  @Column('text') externalId: string;
  /** JSON text: what the app presented; null: nothing yet. */
  @Column('text', { nullable: true }) presented: string | null;
}
