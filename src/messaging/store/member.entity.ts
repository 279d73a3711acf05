import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey } from '../../kernel/database/columns.js';

/** Who is in which conversation. */
@Entity('members')
@Index('members_of_user', ['userId', 'conversationId'])
@Index('members_page', ['conversationId', 'joinedAt', 'userId'])
export class Member {
  @ForeignKey('conversations', { onDelete: 'CASCADE' })
  @ExactKey()
  conversationId: string;
  @ExactKey() userId: string;
  @Column('bigint') joinedAt: number;
  /** Ims and mpims that the member closed: open again with the first message after this ts. */
  @Column('bigint', { nullable: true }) closedAt: number | null;
}
