import { Column, Entity, Index } from 'typeorm';
import { ExactKey, ExactText } from '../kernel/database/columns.js';

/** A browser that looks at the consent page, known by the hash of its cookie. */
@Entity('oauth_browsers')
@Index('oauth_browsers_expiry', ['expiresAt'])
@Index('oauth_browsers_of_account', ['accountId'], { where: 'account_id IS NOT NULL' })
export class OauthBrowser {
  @ExactKey() hash: string;
  /** Who signed in on the page; null: nobody. */
  @ExactText({ nullable: true }) accountId: string | null;
  @Column('timestamptz') expiresAt: Date;
}
