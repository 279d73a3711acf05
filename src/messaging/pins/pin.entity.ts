import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ExactKey, ExactText, Numbered } from '../../kernel/database/columns.js';

/**
 * Who pinned which message. The message shows it (`pinned`), its conversation counts it (`pinCount`); a message that is
 * deleted is unpinned with it (store/pinned-messages.ts).
 */
@Entity('pins')
@ForeignKey('messages', ['conversationId', 'ts'], ['conversationId', 'ts'], { onDelete: 'CASCADE' })
export class Pin {
  @ExactKey() conversationId: string;
  @PrimaryColumn('bigint') ts: number;
  @ExactText() userId: string;
  /** Seconds; the order within one second is that of position. */
  @Column('bigint') createdAt: number;
  @Numbered()
  position: number;
}
