import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactKey } from '../../kernel/database/columns.js';

/** Messages of a conversation that have no searchable rows yet (docs/decisions/search-index.md). */
@Entity('search_backlog')
@Index('search_backlog_of_conversation', ['conversationId'])
export class SearchBacklog {
  @ExactKey() workspaceId: string;
  @ForeignKey('conversations', { onDelete: 'CASCADE' })
  @ExactKey()
  conversationId: string;
  @PrimaryColumn('bigint') firstTs: number;
  @Column('bigint') lastTs: number;
}
