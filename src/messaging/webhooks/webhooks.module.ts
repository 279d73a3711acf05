import { Module } from '@nestjs/common';
import { HttpEdges } from '../../kernel/http/edges.js';
import { Log } from '../../kernel/log/log.js';
import { ChatModule } from '../chat/chat.module.js';
import { ChatDialect } from './chat-dialect.js';
import { HookEdge } from './hook-edge.js';
import { HookSecrets } from '../installing/hook-secrets.js';
import { IncomingPosts } from './incoming-post.service.js';
import { IncomingWebhooksController } from './incoming-webhooks.controller.js';
import { IncomingWebhooks } from './incoming-webhooks.service.js';
import { EventSubscriptionsController, OutgoingWebhooksController } from './targets.controller.js';
import { EventTargets } from './targets.service.js';

/**
 * Requests to apps and from scripts: events out, messages in (docs/reference/events.md,
 * docs/reference/control-plane.md#incoming-webhooks, #event-subscriptions).
 */
@Module({
  imports: [ChatModule],
  controllers: [IncomingWebhooksController, OutgoingWebhooksController, EventSubscriptionsController],
  providers: [ChatDialect, EventTargets, HookSecrets, IncomingPosts, IncomingWebhooks],
})
export class ChatWebhooksModule {
  constructor(edges: HttpEdges, secrets: HookSecrets, log: Log) {
    edges.add(new HookEdge(secrets, log));
  }
}
