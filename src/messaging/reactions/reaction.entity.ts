import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactKey, Numbered } from '../../kernel/database/columns.js';

/** Who reacted to which message; `position` is the order in which reactions of a message are shown. */
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
