import { Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RestBody } from '../../kernel/http/rest-body.js';
import type { Identity } from '../access/identity.js';
import { PageOf, type Page } from '../rest/page.js';
import { Callers, RestCaller } from '../rest/rest-caller.js';
import { EventTargets } from './targets.service.js';
import { OutgoingWebhookBody, SubscribeBody } from './webhooks.dto.js';

/** docs/reference/control-plane.md#outgoing-webhooks. */
@ApiTags('outgoing webhooks')
@Controller('webhooks/outgoing')
export class OutgoingWebhooksController {
  constructor(private readonly targets: EventTargets) {}

  @Post()
  @Callers(['J', 'B', 'U'], { counts: true })
  @ApiOperation({ summary: 'Send a URL the events that the caller could see. The secret is shown only here' })
  create(@RestCaller() caller: Identity, @RestBody() body: OutgoingWebhookBody): Promise<object> {
    return this.targets.createOutgoing(caller, body);
  }

  @Get()
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: "The workspace's outgoing webhooks" })
  list(@RestCaller() caller: Identity, @PageOf() page: Page): Promise<object> {
    return this.targets.listOutgoing(caller, page);
  }

  @Delete(':id')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'Remove an outgoing webhook: its creator or an admin' })
  async remove(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    await this.targets.removeOutgoing(caller, id);
    return { success: true };
  }
}

/** docs/reference/control-plane.md#event-subscriptions. */
@ApiTags('event subscriptions')
@Controller('events')
export class EventSubscriptionsController {
  constructor(private readonly targets: EventTargets) {}

  @Post('subscribe')
  @Callers(['J', 'B', 'U'], { counts: true })
  @ApiOperation({ summary: "Send events to an app's URL, after a handshake. 200 when it was subscribed already" })
  async subscribe(
    @RestCaller() caller: Identity,
    @RestBody() body: SubscribeBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { created, subscription } = await this.targets.subscribe(caller, body);
    void reply.code(created ? 201 : 200);
    return subscription;
  }

  @Get('subscriptions')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: "Event subscriptions: an app's own, or for a person the workspace's" })
  @ApiQuery({ name: 'verify', required: false, description: 'true: repeat the handshakes that failed' })
  list(@RestCaller() caller: Identity, @PageOf() page: Page, @Query('verify') verify: unknown): Promise<object> {
    return this.targets.listSubscriptions(caller, page, verify === 'true');
  }

  @Post('subscriptions/:id/verify')
  @HttpCode(200)
  @Callers(['J', 'B', 'U'], { counts: true })
  @ApiOperation({ summary: 'Repeat the handshake: the tokens of its app, the creator of its app or an admin' })
  verify(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    return this.targets.verify(caller, id);
  }

  @Delete('subscriptions/:id')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'Remove an event subscription: the tokens of its app, the creator of its app or an admin' })
  async remove(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    await this.targets.unsubscribe(caller, id);
    return { success: true };
  }
}
