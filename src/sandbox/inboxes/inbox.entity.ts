import { Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { ExactKey, ExactText, Numbered } from '../../kernel/database/columns.js';

/** A URL on this server that takes any request: a delivery can be seen without a receiver. */
@Entity('inboxes')
@Unique(['secret'])
@Index('inboxes_of_tenant', ['tenantId', 'place'])
export class Inbox {
  @ExactKey() id: string;
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Column('bigint')
  tenantId: number;
  @Column('text', { nullable: true }) name: string | null;
  /** The last part of the URL, which is the whole credential. */
  @ExactText() secret: string;
  /** Used one after the other; the last one is used from then on. */
  @Column('jsonb') answers: unknown;
  /** Handshakes are answered before any turn. */
  @Column('boolean') challenge: boolean;
  @Column('bigint', { default: 0 }) served: number;
  @Numbered()
  place: number;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
