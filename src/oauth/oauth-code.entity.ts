import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../kernel/database/columns.js';

/** What somebody consented to, until the app redeems it. */
@Entity('oauth_codes')
@Index('oauth_codes_of_home', ['homeId'])
@Index('oauth_codes_of_tenant', ['tenantId'])
@Index('oauth_codes_age', ['createdAt'])
export class OauthCode {
  @ExactKey() hash: string;
  /** The tenant in which the app is registered. */
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Column('bigint')
  homeId: number;
  /** The tenant in which it is to be installed. */
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Column('bigint')
  tenantId: number;
  @ExactText() clientId: string;
  /** `install`, or `sign-in`. */
  @ExactText() kind: string;
  @Column('jsonb') consent: unknown;
  /** Microseconds by the clock of the sandbox in which it is to be installed. */
  @Column('bigint') expiresAt: number;
  @Column('boolean', { default: false }) isRedeemed: boolean;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
