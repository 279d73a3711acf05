import { Column, Entity, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A connection URL of an app, valid until it is used or expires (docs/reference/socket-mode.md#opening). */
@Entity('socket_tickets')
@Index('socket_tickets_expired', ['expiresAt'])
export class SocketTicket {
  @ExactKey() hash: string;
  @ExactText() appId: string;
  @ExactText() workspaceId: string;
  @Column('bigint') tenantId: number;
  @ExactText() tokenHash: string;
  @Column('timestamptz') expiresAt: Date;
}
