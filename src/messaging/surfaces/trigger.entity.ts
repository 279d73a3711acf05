import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A trigger id as an app got it, to be exchanged for one view. */
@Entity('triggers')
@Index('triggers_age', ['createdAt'])
@Index('triggers_of_workspace', ['workspaceId'])
export class Trigger {
  @ExactKey() id: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  @ExactText() appId: string;
  @ExactText() userId: string;
  /** Where the person acted; null: nowhere. */
  @ExactText({ nullable: true }) conversationId: string | null;
  @Column('timestamptz') expiresAt: Date;
  @Column('boolean', { default: false }) exchanged: boolean;
  /** Real time: when it may be forgotten, whatever the sandbox's clock does. */
  @Column('timestamptz', { default: () => 'clock_timestamp()' }) createdAt: Date;
}
