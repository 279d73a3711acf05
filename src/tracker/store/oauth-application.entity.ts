import { Entity, ForeignKey, Index } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';
import { nullable, OwnedRow, Stored } from './row.js';

/** An application that asks people for access to their organization, in the organization that registered it. */
@Entity('oauth_applications')
@Index('oauth_applications_client_id', ['clientId'], { unique: true })
@Index('oauth_applications_page', ['organizationId', 'createdAt', 'id'])
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class OauthApplication extends OwnedRow {
  @ExactText() clientId: string;
  /** Null: no secret opens it until one is made. */
  @ExactText({ nullable: true }) clientSecretHash: string | null;
  @Stored('text') name: string;
  @Stored('text', nullable) description: string | null;
  @Stored('text', nullable) developer: string | null;
  @Stored('text', nullable) developerUrl: string | null;
  @Stored('text', nullable) imageUrl: string | null;
  /** Exact ones; none, in the default application alone: any URL of http on this machine. */
  @Stored('text', { array: true, default: [] }) redirectUris: string[];
  @Stored('boolean', { default: false }) hasClientCredentials: boolean;
  /** May be authorized in other organizations. */
  @Stored('boolean', { default: false }) isPublic: boolean;
  @Stored('boolean', { default: false }) isDefault: boolean;
  @Stored('text', nullable) webhookUrl: string | null;
  @Stored('boolean', { default: false }) webhookEnabled: boolean;
  @Stored('text', { array: true, default: [] }) webhookResourceTypes: string[];
  /** Sealed. */
  @Stored('text', nullable) webhookSecret: string | null;
  @Stored('uuid', nullable) creatorId: string | null;
}
