import { Entity, Index, PrimaryColumn } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A sparse property of a searchable message, each a list to walk: `thread`, `reaction`, `:name:` for each reaction. */
@Entity('message_facets')
@Index('message_facets_newest', ['workspaceId', 'facet', 'ts'])
export class MessageFacet {
  @ExactKey() conversationId: string;
  @PrimaryColumn('bigint') ts: number;
  @ExactKey() facet: string;
  @ExactText() workspaceId: string;
}
