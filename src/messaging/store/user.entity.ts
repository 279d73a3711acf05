import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { columnsOf, Derived, ExactKey, ExactText } from '../../kernel/database/columns.js';

export type Role = 'primary_owner' | 'owner' | 'admin' | 'member';

/**
 * What is stored of a profile; the rest of docs/reference/chat.md#profiles is derived when it is read. Keys are the
 * wire's own.
 */
export interface StoredProfile {
  real_name?: string;
  display_name?: string;
  first_name?: string;
  last_name?: string;
  title?: string;
  phone?: string;
  skype?: string;
  pronouns?: string;
  status_text?: string;
  status_emoji?: string;
  /** Unix seconds, 0 = never. */
  status_expiration?: number;
  /** Custom fields by id (`Xf…`). */
  fields?: Record<string, { value: string; alt: string }>;
}

/**
 * An account in a workspace: a person or a bot (docs/reference/chat.md#users). The id is the account's. Times are
 * microseconds since 1970.
 */
@Entity('users')
@Check('users_role_check', `role IN ('primary_owner', 'owner', 'admin', 'member')`)
@Check('users_presence_check', `presence IN ('auto', 'away')`)
@Index('users_name', ['workspaceId', 'name'], { unique: true })
@Index('users_page', ['workspaceId', 'createdAt', 'id'])
@Index('users_of_account', ['id'])
@Index('users_email', { synchronize: false })
export class User {
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactKey()
  workspaceId: string;
  @ExactKey() id: string;
  /** The handle. */
  @ExactText() name: string;
  @ExactText({ default: 'member' }) role: Role;
  @Column('boolean', { default: false }) isBot: boolean;
  /** Bots only. */
  @ExactText({ nullable: true }) appId: string | null;
  @ExactText({ nullable: true }) botId: string | null;
  @ExactText({ nullable: true }) email: string | null;
  @Column('jsonb', { default: {} }) profile: StoredProfile;
  @ExactText({ default: 'auto' }) presence: 'auto' | 'away';
  @ExactText() color: string;
  @Column('bigint') createdAt: number;
  @Column('bigint') updatedAt: number;
  @Column('timestamptz', { nullable: true, select: false }) deletedAt?: Date | null;
  /** Deactivated. */
  @Derived((alias) => `${alias}.deleted_at IS NOT NULL`) isDeleted: boolean;
}

/** Columns of a user under their property names, for statements that load it whole. */
export const userColumns = (alias: string): string => columnsOf(User, alias);
