import { Column, Entity, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A URL that an app got to connect to, until it connects or the URL ends (docs/reference/socket-mode.md#opening). */
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
