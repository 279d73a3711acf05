import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/**
 * What search.messages searches (docs/decisions/search-index.md): one narrow row per searchable message, so that the
 * many keys of the text index are written once per text and not again with every counter or reaction of a message.
 */
@Entity('message_search')
@Index('message_search_newest', ['workspaceId', 'ts'])
@Index('message_search_by_author', ['workspaceId', 'author', 'ts'])
@Index('message_search_waiting', ['workspaceId'], { where: 'waiting IS NOT NULL' })
@Index('message_search_text', { synchronize: false })
export class SearchableMessage {
  @ExactKey() conversationId: string;
  @PrimaryColumn('bigint') ts: number;
  @ExactText() workspaceId: string;
  /** The user, or the bot of a bot_message. */
  @ExactText() author: string;
  /** The text in lower case. */
  @Column('text') folded: string;
  /** The same, for as long as it waits for the text index: `folded` is empty then. */
  @Column('text', { nullable: true }) waiting: string | null;
}
