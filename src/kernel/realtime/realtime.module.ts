import { Global, Module } from '@nestjs/common';
import { RealtimeGateway } from './realtime.gateway.js';
import { Realtime } from './realtime.js';
import { SocketSeats } from './socket-seats.js';

/** The realtime channel; products register with `Realtime`. */
@Global()
@Module({ providers: [Realtime, RealtimeGateway, SocketSeats], exports: [Realtime, RealtimeGateway] })
export class RealtimeModule {}
