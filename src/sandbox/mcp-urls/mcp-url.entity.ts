import { Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { ExactKey, ExactText, Numbered } from '../../kernel/database/columns.js';

/** URLs of both tool servers that act as an app or a person; the path is the entire credential. */
@Entity('mcp_urls')
@Unique(['hash'])
@Index('mcp_urls_of_tenant', ['tenantId', 'place'])
export class McpUrl {
  @ExactKey() id: string;
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Column('bigint')
  tenantId: number;
  /** SHA-256 of the secret part of both paths. */
  @ExactText() hash: string;
  /** Null: a person, who stands in `userId`. */
  @ExactText({ nullable: true }) appId: string | null;
  /** In whose name the tracker is called. */
  @ExactText() userId: string;
  @Numbered()
  place: number;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
