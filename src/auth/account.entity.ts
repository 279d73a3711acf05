import { Column, Entity, Index } from 'typeorm';
import { ExactKey, ExactText } from '../kernel/database/columns.js';

/** A person or bot. `auth` knows no product: what they add to its tokens is kept as claims. */
@Entity('accounts')
@Index('accounts_email', ['email'], { unique: true })
export class Account {
  @ExactKey() id: string;
  @ExactText({ nullable: true }) email: string | null;
  @Column('text', { nullable: true }) passwordHash: string | null;
  @Column('text') realName: string;
  @Column('jsonb', { default: {} }) claims: unknown;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { nullable: true }) deactivatedAt: Date | null;
}
