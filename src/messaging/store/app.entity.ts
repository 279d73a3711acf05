import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';
import type { AppManifest } from './app-manifest.js';

export type BotState = 'none' | 'live' | 'ended';

/** `on`: its events and calls go to sockets only; `off`: to URLs only; `auto`: to URLs, and to sockets while one is open. */
export type SocketMode = 'on' | 'off' | 'auto';

/** An app as it is made: what is stored of it, and the secrets that its maker is shown. */
export interface NewApp {
  readonly id: string;
  readonly name: string;
  readonly botId: string;
  readonly botUserId: string;
  readonly botScopes: string[];
  readonly userScopes: string[];
  readonly signingSecret: string;
  readonly verificationToken: string;
  readonly interactivityUrl: string | null;
  readonly socketMode: SocketMode;
  readonly manifest: AppManifest;
  readonly creatorId: string;
  /** Microseconds. */
  readonly createdAt: number;
  /** The workspace that registered it; null: the one it is in. */
  readonly homeId: string | null;
  /** Null in other workspaces than its home. */
  readonly clientId: string | null;
  /** Only where it has just been made. */
  readonly clientSecret?: string;
  readonly isDistributed: boolean;
  readonly botState: BotState;
  /** Microseconds; null: it is not installed. */
  readonly installedAt: number | null;
}

/**
 * An app in a workspace, with its signing secrets and its manifest: where it is registered, and once more wherever it is
 * installed.
 */
@Entity('apps')
@Check('apps_socket_mode_check', `socket_mode IN ('on', 'off', 'auto')`)
@Check('apps_bot_state_check', `bot_state IN ('none', 'live', 'ended')`)
@Unique(['botId'])
@Index('apps_page', ['workspaceId', 'createdAt', 'id'])
@Index('apps_home', ['id'], { unique: true, where: 'home_id IS NULL' })
@Index('apps_guests', ['id'], { where: 'home_id IS NOT NULL' })
@Index('apps_client_id', ['clientId'], { unique: true })
@Index('apps_client_secret', ['clientSecretHash'])
@Index('apps_default', ['workspaceId'], { unique: true, where: 'is_default' })
export class App {
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactKey()
  workspaceId: string;
  @ExactKey() id: string;
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
  /** The workspace that registered it; null: this one. */
  @ExactText({ nullable: true }) homeId: string | null;
  /** Of the registration alone, like the two below. */
  @ExactText({ nullable: true, default: () => 'new_client_id()' }) clientId: string | null;
  @ExactText({ nullable: true }) clientSecretHash: string | null;
  /** It may be installed outside its home. */
  @Column('boolean', { default: false }) isDistributed: boolean;
  /** Whether its bot is installed here: never, now, no longer. */
  @ExactText({ default: 'live' }) botState: BotState;
  /** Since when it is installed here, in microseconds; null: it is not. */
  @Column('bigint', { nullable: true }) installedAt: number | null;
}
