import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../kernel/database/columns.js';

/** A one-time link that signs a person in to one workspace. Only its hash is stored. */
@Entity('sign_in_links')
@Index('sign_in_links_expiry', ['expiresAt'])
@Index('sign_in_links_of_account', ['accountId'])
@Index('sign_in_links_of_team', ['teamId'])
export class SignInLink {
  @ExactKey() keyHash: string;
  @ForeignKey('accounts', { onDelete: 'CASCADE' })
  @ExactText()
  accountId: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  teamId: string;
  /** Claims of its sessions besides the workspace. */
  @Column('jsonb', { default: {} }) claims: unknown;
  @Column('text', { nullable: true }) target: string | null;
  @Column('timestamptz') expiresAt: Date;
}
