import { Entity, PrimaryColumn } from 'typeorm';
import { nullable, Stored } from '../store/row.js';

@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('uuid') id: string;
  @Stored('uuid') organizationId: string;
  @Stored('uuid') userId: string;
  @Stored('text') hash: string;
  @Stored('text') label: string;
  @Stored('text') start: string;
  @Stored('boolean') isDefault: boolean;
  @Stored('timestamptz') createdAt: Date;
  @Stored('timestamptz', nullable) lastUsedAt: Date | null;
  @Stored('timestamptz', nullable) revokedAt: Date | null;
}
