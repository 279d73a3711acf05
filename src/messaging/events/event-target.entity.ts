import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/**
 * A receiver of events: an app's event subscription (`Es…`) or an outgoing webhook (`Ow…`). `delivery_targets` holds
 * its state under the same id.
 */
@Entity('event_targets')
@Index('event_targets_of_tenant', ['tenantId'])
@Index('event_targets_page', ['workspaceId', 'createdAt', 'id'])
@Index('event_targets_app_url', ['appId', 'url', 'workspaceId'], { unique: true, where: 'app_id IS NOT NULL' })
export class EventTarget {
  @ExactKey() id: string;
  @Column('bigint') tenantId: number;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  /** Event subscriptions only. */
  @ExactText({ nullable: true }) appId: string | null;
  @Column('text') url: string;
  /** As requested, including names like message.channels. */
  @Column('text', { array: true }) names: string[];
  /** Their meaning: kinds, and the types of conversation whose `message` is wanted (null = all). */
  @Column('text', { array: true }) kinds: string[];
  @Column('text', { array: true, nullable: true }) messageTypes: string[] | null;
  /** Outgoing webhooks only: the one conversation it is limited to. */
  @ExactText({ nullable: true }) conversationId: string | null;
  @Column('text', { nullable: true }) name: string | null;
  @Column('text', { nullable: true }) secret: string | null;
  @Column('boolean', { default: false }) verified: boolean;
  @ExactText() creatorId: string;
  @Column('bigint') createdAt: number;
  /** An outgoing webhook that an app made receives what this app's scopes and memberships allow. */
  @ExactText({ nullable: true }) scopedAppId: string | null;
  /** An app's sockets as a target of events; its URL is empty. */
  @Column('boolean', { default: false }) isSocket: boolean;
  /** For an app whose sockets are optional: until when events are recorded for it (null = always). */
  @Column('timestamptz', { nullable: true }) openUntil: Date | null;
}
