import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A link above the messages of a conversation. Times are seconds. */
@Entity('bookmarks')
@Index('bookmarks_of_conversation', ['conversationId', 'rank'])
export class Bookmark {
  @ExactKey() id: string;
  @ForeignKey('conversations', { onDelete: 'CASCADE' })
  @ExactText()
  conversationId: string;
  @Column('text') title: string;
  @Column('text') link: string;
  /** With its colons; empty: none. */
  @ExactText({ default: '' }) emoji: string;
  /** Bookmarks are listed in the order of their ranks. */
  @ExactText() rank: string;
  /** The app that made it; null: a person. */
  @ExactText({ nullable: true }) appId: string | null;
  @ExactText() updatedBy: string;
  @Column('bigint') createdAt: number;
  /** 0: never. */
  @Column('bigint', { default: 0 }) updatedAt: number;
}

/** The rank of the bookmark with this number, from 0: ranks sort as texts. */
export const rankOf = (number: number): string => number.toString(36).padStart(6, '0');
