import { Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { ExactKey, ExactText, Numbered } from '../../kernel/database/columns.js';

/** A URL on this server that accepts any request: deliveries can be inspected without a receiver. */
@Entity('inboxes')
@Unique(['secret'])
@Index('inboxes_of_tenant', ['tenantId', 'place'])
export class Inbox {
  @ExactKey() id: string;
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Column('bigint')
  tenantId: number;
  @Column('text', { nullable: true }) name: string | null;
  /** The last part of the URL, which is the entire credential. */
  @ExactText() secret: string;
  /** Used in turn; the last one is repeated. */
  @Column('jsonb') answers: unknown;
  /** Whether handshakes are answered without using up an answer. */
  @Column('boolean') challenge: boolean;
  @Column('bigint', { default: 0 }) served: number;
  @Numbered()
  place: number;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
