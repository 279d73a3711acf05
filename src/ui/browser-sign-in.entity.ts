import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../kernel/database/columns.js';

/** A browser's session for one account in one workspace. */
@Entity('browser_sign_ins')
@Index('browser_sign_ins_of_session', ['sid'])
export class BrowserSignIn {
  @ForeignKey('browsers', { onDelete: 'CASCADE' })
  @ExactKey()
  secretHash: string;
  @ForeignKey('sessions', { onDelete: 'CASCADE' })
  @ExactText()
  sid: string;
  @ExactKey() accountId: string;
  @ExactKey() teamId: string;
  @Column('timestamptz') usedAt: Date;
}
