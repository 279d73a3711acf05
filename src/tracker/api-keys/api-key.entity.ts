import { Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';
import { nullable, Stored } from '../store/row.js';

@Entity('api_keys')
@Unique(['hash'])
@Index('api_keys_page', ['userId', 'createdAt', 'id'], { where: 'revoked_at IS NULL' })
@Index('api_keys_of_organization', ['organizationId'])
export class ApiKey {
  @PrimaryColumn('uuid') id: string;
  @Stored('uuid') organizationId: string;
  @Stored('uuid') userId: string;
  @ExactText() hash: string;
  @Stored('text') label: string;
  @ExactText() start: string;
  @Stored('boolean', { default: false }) isDefault: boolean;
  @Stored('timestamptz', { default: () => 'now()' }) createdAt: Date;
  @Stored('timestamptz', nullable) lastUsedAt: Date | null;
  @Stored('timestamptz', nullable) revokedAt: Date | null;
}
