import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey } from '../../kernel/database/columns.js';

/**
 * A current or previous key of an organization: in one table, so that the primary key prevents both kinds of conflicts.
 */
@Entity('organization_url_keys')
@Index('organization_url_keys_of_organization', ['organizationId'])
export class OrganizationUrlKey {
  @ExactKey() urlKey: string;
  @ForeignKey('organizations', { onDelete: 'CASCADE' })
  @Column('uuid')
  organizationId: string;
}
