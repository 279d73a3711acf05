import { Column, Entity, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** An open connection, for as long as its replica renews it. */
@Entity('socket_connections')
@Index('socket_connections_of_app', ['appId'])
@Index('socket_connections_lapsed', ['leaseUntil'])
export class SocketConnection {
  @ExactKey() id: string;
  @ExactText() appId: string;
  @ExactText() workspaceId: string;
  @Column('bigint') tenantId: number;
  @ExactText() tokenHash: string;
  @ExactText() replica: string;
  @Column('timestamptz', { default: () => 'now()' }) openedAt: Date;
  @Column('timestamptz') leaseUntil: Date;
}
