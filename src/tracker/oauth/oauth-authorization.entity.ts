import { Entity, ForeignKey, Index } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';
import { nullable, OwnedRow, Stored } from '../store/row.js';

/** What an application may do in an organization as one person, or as a user of its own. */
@Entity('oauth_authorizations')
@Index('oauth_authorizations_user', ['applicationId', 'organizationId', 'userId'], { unique: true })
@Index('oauth_authorizations_of_organization', ['organizationId'])
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class OauthAuthorization extends OwnedRow {
  /** It may be registered in another organization. */
  @Stored('uuid') applicationId: string;
  /** Who acts. */
  @Stored('uuid') userId: string;
  /** Who consented; null: nobody, by client credentials. */
  @Stored('uuid', nullable) grantedById: string | null;
  @ExactText() actor: 'user' | 'app';
  @Stored('text', { array: true }) scopes: string[];
  @Stored('timestamptz', nullable) endedAt: Date | null;
}
