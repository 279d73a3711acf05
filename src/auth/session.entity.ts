import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../kernel/database/columns.js';

/** A sign-in of an account: its access tokens name it, and its refresh token renews it. */
@Entity('sessions')
@Index('sessions_refresh_hash', ['refreshHash'], { unique: true })
@Index('sessions_of_account', ['accountId'])
@Index('sessions_via', ['via'], { where: 'via IS NOT NULL' })
@Index('sessions_over', ['overAt', 'sid'])
export class Session {
  @ExactKey() sid: string;
  @ForeignKey('accounts', { onDelete: 'CASCADE' })
  @ExactText()
  accountId: string;
  @Column('jsonb', { default: {} }) claims: unknown;
  @ExactText({ nullable: true }) refreshHash: string | null;
  @Column('timestamptz', { nullable: true }) refreshExpiresAt: Date | null;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { nullable: true }) endedAt: Date | null;
  /** Set when a sandbox issued it: the session or control token of the requester, with which this one ends. */
  @ExactText({ nullable: true }) via: string | null;
  /** When nothing of a session can be valid any more, for deleting it. */
  @Column('timestamptz', { default: () => `(now() + '02:00:00')` }) overAt: Date;
}
