import { Column, Entity } from 'typeorm';
import { ExactKey } from '../kernel/database/columns.js';

/** The control token of a sandbox that is gone: it answers account_inactive. */
@Entity('ended_control_tokens')
export class EndedControlToken {
  @ExactKey() hash: string;
  @Column('timestamptz', { default: () => 'now()' }) endedAt: Date;
}
