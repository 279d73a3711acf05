import { Check, Column, Entity, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

export type TokenKind =
  | 'bot'
  | 'user'
  | 'app'
  | 'refresh'
  | 'openid'
  | 'openid_refresh'
  | 'config'
  | 'config_refresh'
  /** Of a custom step: it acts as the bot until the step ends. */
  | 'workflow';

/** A credential as its SHA-256 (hex). It outlives its workspace: an old token answers account_inactive, not invalid_auth. */
@Entity('tokens')
@Check(
  'tokens_kind_check',
  `kind IN ('bot', 'user', 'app', 'refresh', 'openid', 'openid_refresh', 'config', 'config_refresh', 'workflow')`,
)
@Index('tokens_of_app', ['appId'], { where: 'revoked_at IS NULL' })
@Index('tokens_of_users_of_app', ['appId', 'userId'], { where: `(kind = 'user') AND (revoked_at IS NULL)` })
@Index('tokens_of_workspace', ['workspaceId'])
@Index('tokens_of_half', ['workspaceId', 'appId', 'userId', 'createdAt'])
export class Token {
  @ExactKey() hash: string;
  @ExactText() kind: TokenKind;
  @ExactText() workspaceId: string;
  @ExactText() appId: string;
  @ExactText() userId: string;
  @Column('text', { array: true }) scopes: string[];
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { nullable: true }) revokedAt: Date | null;
  /** The default app's, determined by settings or the instance secret: when those change, the earlier ones are revoked. */
  @Column('boolean', { default: false }) isDefault: boolean;
  /** Its last characters, by which people tell tokens apart; null for those made before this was stored. */
  @Column('text', { nullable: true }) hint: string | null;
  /** The end of a rotating token, or of a refresh token that was used, in microseconds by the sandbox's clock. */
  @Column('bigint', { nullable: true }) expiresAt: number | null;
  /** A long-lived token that was exchanged for rotating ones: it ends with their first refresh. */
  @Column('boolean', { default: false }) isExchanged: boolean;
  /** Somebody consented to it; else the app was given it where it was made. */
  @Column('boolean', { default: false }) isConsented: boolean;
  /** A refresh token that needs no client secret. */
  @Column('boolean', { default: false }) isPublic: boolean;
}
