import { Module } from '@nestjs/common';
import { TrackerDialect } from './tracker-dialect.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksResolver } from './webhooks.resolver.js';
import { WebhooksService } from './webhooks.service.js';

/** Webhooks: their registration, and how deliveries look. */
@Module({ controllers: [WebhooksController], providers: [TrackerDialect, WebhooksResolver, WebhooksService] })
export class TrackerWebhooksModule {}
