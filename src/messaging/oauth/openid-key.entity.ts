import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';

/** A key that signs ID tokens, the same for every replica; the newest one signs. */
@Entity('openid_keys')
export class OpenidKey {
  @PrimaryColumn('integer') number: number;
  @ExactText() kid: string;
  /** A JWK as text, encrypted where SVC_SECRET_KEY is set. */
  @Column('text') privateKey: string;
  @Column('jsonb') publicKey: unknown;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
