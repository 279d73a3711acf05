import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The root of tenancy: at most one workspace and at most one organization hang on each. */
@Entity('tenants')
export class Tenant {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id: number;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { nullable: true }) deletedAt: Date | null;
  /** Whether strangers may join its workspace and organization by their names. */
  @Column('boolean', { default: true }) joinable: boolean;
}
