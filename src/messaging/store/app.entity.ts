import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** An app of a workspace, with its signing secrets and its manifest. */
@Entity('apps')
@Check('apps_socket_mode_check', `socket_mode IN ('on', 'off', 'auto')`)
@Unique(['botId'])
@Index('apps_page', ['workspaceId', 'createdAt', 'id'])
@Index('apps_default', ['workspaceId'], { unique: true, where: 'is_default' })
export class App {
  @ExactKey() id: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  @Column('text') name: string;
  @ExactText() botId: string;
  @ExactText() botUserId: string;
  @Column('text', { array: true, default: [] }) botScopes: string[];
  @Column('text', { array: true, default: [] }) userScopes: string[];
  @Column('text') signingSecret: string;
  @Column('text') verificationToken: string;
  @Column('text', { nullable: true }) interactivityUrl: string | null;
  @Column('jsonb') manifest: unknown;
  @Column('boolean', { default: false }) isDefault: boolean;
  @Column('integer', { default: 1 }) tokenVersion: number;
  @ExactText() creatorId: string;
  @Column('bigint') createdAt: number;
  /** `on`: sockets only; `off`: URLs only; `auto`: URLs, and sockets while one is open. */
  @ExactText({ default: 'auto' }) socketMode: string;
}
