import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactKey, Numbered } from '../../kernel/database/columns.js';

/** A user's reaction to a message; `position` is the order in which a message shows its reactions. */
@Entity('reactions')
@Index('reactions_of_user', ['userId', 'ts', 'conversationId'])
@ForeignKey('messages', ['conversationId', 'ts'], ['conversationId', 'ts'], { onDelete: 'CASCADE' })
export class Reaction {
  @ExactKey() conversationId: string;
  @PrimaryColumn('bigint') ts: number;
  @ExactKey() name: string;
  @ExactKey() userId: string;
  @Numbered()
  position: number;
}
