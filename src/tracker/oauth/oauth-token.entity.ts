import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';
import { nullable, Stored } from '../store/row.js';

/** An access or refresh token of an authorization, known by its hash. */
@Entity('oauth_tokens')
@Index('oauth_tokens_of_authorization', ['authorizationId', 'kind', 'createdAt'])
@Index('oauth_tokens_of_organization', ['organizationId'])
@Index('oauth_tokens_of_grant', ['grantId'], { where: 'grant_id IS NOT NULL' })
export class OauthToken {
  @ExactKey() hash: string;
  @Stored('uuid') organizationId: string;
  @ForeignKey('oauth_authorizations', { onDelete: 'CASCADE' })
  @Stored('uuid')
  authorizationId: string;
  @ExactText() kind: 'access' | 'refresh';
  /** The redeemed code that it goes back to; null: client credentials. */
  @Stored('uuid', nullable) grantId: string | null;
  @Stored('text', { array: true }) scopes: string[];
  /** Refreshing needs no client secret, as the code that it goes back to needed none. */
  @Stored('boolean', { default: false }) isPublic: boolean;
  /** Microseconds by the sandbox's clock; null: no end of its own. */
  @Column('bigint', { nullable: true }) expiresAt: number | null;
  @Stored('timestamptz', nullable) revokedAt: Date | null;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
