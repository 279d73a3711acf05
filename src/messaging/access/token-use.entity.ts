import { Column, Entity, Index } from 'typeorm';
import { ExactKey } from '../../kernel/database/columns.js';

/**
 * When a token was last used, to about a quarter of a minute, for thirty days. Apart from the tokens and without a
 * reference to them: noting a use changes no token and waits for nobody who does.
 */
@Entity('token_uses')
@Index('token_uses_by_age', ['usedAt'])
export class TokenUse {
  @ExactKey() hash: string;
  @Column('timestamptz') usedAt: Date;
}
