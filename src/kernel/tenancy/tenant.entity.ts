import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** The root of tenancy: each has at most one workspace and at most one organization. */
@Entity('tenants')
@Index('tenants_of_maker', ['maker', 'id'], { where: 'maker IS NOT NULL' })
@Index('tenants_with_share', ['id'], { where: 'share_id IS NOT NULL' })
export class Tenant {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id: number;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { nullable: true }) deletedAt: Date | null;
  /** Whether strangers may join its workspace and organization by their names. */
  @Column('boolean', { default: true }) joinable: boolean;
  /** The account that made it for itself; null for those that operators make. */
  @Column('text', { nullable: true }) maker: string | null;
  /** The first tenant of that account, whose limits it shares; null for the first itself. */
  @Column('bigint', { nullable: true }) shareId: number | null;
}
