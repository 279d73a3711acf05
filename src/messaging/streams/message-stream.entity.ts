import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

export type StreamState = 'open' | 'stopped' | 'expired' | 'stopped_by_user';

/** A message that an app writes, or wrote, bit by bit (docs/reference/chat.md#streams). Times are microseconds. */
@Entity('message_streams')
@Check('message_streams_state_check', `state IN ('open', 'stopped', 'expired', 'stopped_by_user')`)
@ForeignKey('messages', ['conversationId', 'ts'], ['conversationId', 'ts'], { onDelete: 'CASCADE' })
@Index('message_streams_open', ['workspaceId', 'expiresAt'], { where: `state = 'open'` })
@Index('message_streams_page', ['workspaceId', 'startedAt', 'ts'])
export class MessageStream {
  @ExactKey() conversationId: string;
  @PrimaryColumn('bigint') ts: number;
  @ExactText() workspaceId: string;
  @ExactText() appId: string;
  @ExactText() botId: string;
  @ExactText({ default: 'open' }) state: StreamState;
  /** JSON of `StreamContent`; null when nothing more can be added. */
  @Column('text', { nullable: true }) content: string | null;
  /** JSON of the message as it was at the start; null like the content. */
  @Column('text', { nullable: true }) begun: string | null;
  @Column('bigint') startedAt: number;
  /** Null: it does not expire. */
  @Column('bigint', { nullable: true }) expiresAt: number | null;
  @Column('integer', { default: 0 }) appends: number;
  @Column('integer', { default: 0 }) characters: number;
}
