import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../kernel/database/columns.js';

/** Hashes of refresh tokens that were exchanged: if one is used again, it was stolen. */
@Entity('spent_refresh_tokens')
@Index('spent_refresh_tokens_of_session', ['sid'])
export class SpentRefreshToken {
  @ExactKey() hash: string;
  @ForeignKey('sessions', { onDelete: 'CASCADE' })
  @ExactText()
  sid: string;
  @Column('timestamptz', { default: () => 'now()' }) spentAt: Date;
  /** Whether the answer that replaced a refresh token reached its client: until then the same answer is given again. */
  @Column('boolean', { default: false }) delivered: boolean;
}
