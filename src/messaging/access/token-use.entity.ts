import { Column, Entity, Index } from 'typeorm';
import { ExactKey } from '../../kernel/database/columns.js';

/**
 * When a token was last used, to about a quarter of a minute, kept for thirty days. In a table of its own without a
 * foreign key: recording a use does not lock tokens.
 */
@Entity('token_uses')
@Index('token_uses_by_age', ['usedAt'])
export class TokenUse {
  @ExactKey() hash: string;
  @Column('timestamptz') usedAt: Date;
}
