import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A dialog that a person has open (docs/reference/chat.md#dialogs): one for each app. */
@Entity('dialogs')
@Index('dialogs_place', ['workspaceId', 'userId', 'appId'], { unique: true })
@Index('dialogs_of_trigger', ['triggerId'])
export class Dialog {
  @ExactKey() id: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  @ExactText() appId: string;
  @ExactText() userId: string;
  /** What opened it, and takes it along when it is forgotten. */
  @ForeignKey('triggers', { onDelete: 'CASCADE' })
  @ExactText()
  triggerId: string;
  /** Where the person was; null: nowhere. */
  @ExactText({ nullable: true }) conversationId: string | null;
  /** JSON text: the dialog as the app gave it, checked. */
  @Column('text') content: string;
}
