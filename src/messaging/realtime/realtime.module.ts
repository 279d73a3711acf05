import { Module } from '@nestjs/common';
import { ChatRealtime } from './chat-realtime.js';
import { SubscriptionsGateway } from './subscriptions.gateway.js';

/** The chat product on the realtime channel (messaging.md F). */
@Module({ providers: [ChatRealtime, SubscriptionsGateway] })
export class ChatRealtimeModule {}
