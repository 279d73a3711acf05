import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A URL that posts to one conversation (docs/reference/control-plane.md#incoming-webhooks). */
@Entity('incoming_webhooks')
@Index('incoming_webhooks_page', ['workspaceId', 'createdAt', 'id'])
export class IncomingWebhook {
  /** The secret of the URL, and the bot_id of what is posted. */
  @ExactKey() id: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  @ExactText() appId: string;
  @ExactText() conversationId: string;
  @Column('text') name: string;
  @Column('jsonb', { nullable: true }) icons: object | null;
  @ExactText() creatorId: string;
  /** Made by installing its app, and gone with that. */
  @Column('boolean', { default: false }) isOfInstallation: boolean;
  /** Microseconds. */
  @Column('bigint') createdAt: number;
}
