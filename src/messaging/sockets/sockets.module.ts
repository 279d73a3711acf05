import { Module } from '@nestjs/common';
import { RestModule } from '../rest/rest.module.js';
import { RpcModule } from '../rpc/rpc.module.js';
import { Acks } from './acks.js';
import { ConnectionRows } from './connection-rows.js';
import { Connections } from './connections.js';
import { EnvelopeIds } from './envelope-ids.js';
import { LinkEndpoint } from './link-endpoint.js';
import { SocketCalls } from './socket-calls.js';
import { SocketDialect } from './socket-dialect.js';
import { SocketMetrics } from './socket-metrics.js';
import { SocketsController } from './sockets.controller.js';

/**
 * Socket Mode: apps that connect to the server receive events, commands and interactions there
 * (docs/reference/socket-mode.md).
 */
@Module({
  imports: [RestModule, RpcModule],
  controllers: [SocketsController],
  providers: [Acks, ConnectionRows, Connections, EnvelopeIds, LinkEndpoint, SocketCalls, SocketDialect, SocketMetrics],
})
export class SocketsModule {}
