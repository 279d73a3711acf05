import { Module } from '@nestjs/common';
import { ChatRealtime } from './chat-realtime.js';
import { SubscriptionsGateway } from './subscriptions.gateway.js';

/** The chat product on the realtime channel (docs/reference/realtime.md#chat). */
@Module({ providers: [ChatRealtime, SubscriptionsGateway] })
export class ChatRealtimeModule {}
