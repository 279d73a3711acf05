import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey } from '../../kernel/database/columns.js';

/** A key that an organization has or lately had: in one table, so that the primary key referees both kinds of "taken". */
@Entity('organization_url_keys')
@Index('organization_url_keys_of_organization', ['organizationId'])
export class OrganizationUrlKey {
  @ExactKey() urlKey: string;
  @ForeignKey('organizations', { onDelete: 'CASCADE' })
  @Column('uuid')
  organizationId: string;
}
