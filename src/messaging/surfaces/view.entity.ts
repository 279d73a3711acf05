import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** What an app shows to a person: a modal in a stack, or the home. */
@Entity('views')
@Check('views_type_check', `type IN ('modal', 'home')`)
@Index('views_place', ['appId', 'userId', 'depth'], { unique: true })
@Index('views_external_id', ['appId', 'externalId'], { unique: true, where: `external_id <> ''` })
@Index('views_of_user', ['workspaceId', 'userId'])
@Index('views_age', ['changedAt'], { where: `type = 'modal'` })
export class View {
  @ExactKey() id: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  @ExactText() appId: string;
  @ExactText() userId: string;
  @ExactText() type: string;
  /** Place in the stack from 1; 0 = the home. */
  @Column('smallint') depth: number;
  @ExactText() rootId: string;
  @ExactText({ nullable: true }) previousId: string | null;
  /** Empty: none. */
  @ExactText() externalId: string;
  /** JSON text: the view as the app gave it, checked and completed. */
  @Column('text') content: string;
  /** JSON text: what the person entered, by block and action. */
  @Column('text', { default: '{}' }) entered: string;
  @ExactText() hash: string;
  /** The store's bare time of the app's last change: what an act finds what came after it by. */
  @Column('timestamptz', { default: () => 'clock_timestamp()' }) changedAt: Date;
  /** Modals: the sandbox's time of the last change by app or person. */
  @Column('timestamptz') touchedAt: Date;
}
