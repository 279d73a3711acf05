import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../kernel/database/columns.js';

/** What a browser was shown: one decision about it. */
@Entity('oauth_tickets')
@Index('oauth_tickets_expiry', ['expiresAt'])
@Index('oauth_tickets_of_tenant', ['tenantId'])
@Index('oauth_tickets_of_browser', ['browserHash'])
export class OauthTicket {
  @ExactKey() hash: string;
  @ForeignKey('oauth_browsers', { onDelete: 'CASCADE' })
  @ExactText()
  browserHash: string;
  /** Where the app is registered. */
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Column('bigint')
  tenantId: number;
  @ExactText() product: string;
  @Column('jsonb') request: unknown;
  @Column('timestamptz') expiresAt: Date;
}
