import { Column, Entity, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A command or interaction that another replica may have to send. */
@Entity('socket_requests')
@Index('socket_requests_open', ['appId'], { where: 'claimed_by IS NULL' })
@Index('socket_requests_over', ['deadline'])
export class SocketRequest {
  /** The envelope's. */
  @ExactKey() id: string;
  @ExactText() appId: string;
  @Column('bigint') tenantId: number;
  @Column('text') body: string;
  @Column('timestamptz') deadline: Date;
  @ExactText({ nullable: true }) claimedBy: string | null;
  /** The ack's payload, as JSON text. */
  @Column('text', { nullable: true }) answer: string | null;
  @Column('boolean', { default: false }) answered: boolean;
}
