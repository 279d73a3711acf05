import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** The ref that a document gave a message, issue or webhook: copies of snapshots and exports repeat it. */
@Entity('seed_refs')
export class SeedRef {
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @PrimaryColumn('bigint')
  tenantId: number;
  @PrimaryColumn('text') ref: string;
  /** `{channel, ts}`, `{id, identifier}` or `{id}`. */
  @Column('jsonb') thing: unknown;
}
