import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RestBody } from '../../kernel/http/rest-body.js';
import type { Identity } from '../access/identity.js';
import { PageOf, type Page } from '../rest/page.js';
import { Callers, RestCaller } from '../rest/rest-caller.js';
import { plain } from './hook-edge.js';
import { IncomingPosts } from './incoming-post.service.js';
import { IncomingWebhooks } from './incoming-webhooks.service.js';
import { IncomingWebhookBody } from './webhooks.dto.js';

const POSTED = {
  schema: { type: 'object', properties: { text: { type: 'string' }, blocks: { type: 'array', items: {} } } },
} as const;

/** docs/reference/control-plane.md#incoming-webhooks. */
@ApiTags('incoming webhooks')
@Controller('webhooks/incoming')
export class IncomingWebhooksController {
  constructor(
    private readonly hooks: IncomingWebhooks,
    private readonly posts: IncomingPosts,
  ) {}

  @Post()
  @Callers(['J', 'U', 'B'], { botScope: 'incoming-webhook', counts: true })
  @ApiOperation({ summary: 'Make a URL that posts into a channel' })
  create(@RestCaller() caller: Identity, @RestBody() body: IncomingWebhookBody): Promise<object> {
    return this.hooks.create(caller, body);
  }

  @Get()
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: "The workspace's incoming webhooks" })
  list(@RestCaller() caller: Identity, @PageOf() page: Page): Promise<object> {
    return this.hooks.list(caller, page);
  }

  @Delete(':id')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'Remove an incoming webhook: its creator, its app or an admin' })
  async remove(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    await this.hooks.remove(caller, id);
    return { success: true };
  }

  @Post(':id/:secret')
  @HttpCode(200)
  @ApiOperation({ summary: 'Post a message; the URL is the secret. Answers plain text' })
  @ApiBody(POSTED)
  async post(
    @Param('id') id: string,
    @Param('secret') secret: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.posts.post(id, { secret }, request, reply);
    plain(reply, 200, 'ok');
  }

  @Post(':id')
  @HttpCode(200)
  @ApiBearerAuth()
  @ApiOperation({ summary: 'The same without the secret, for callers who could list it' })
  @ApiBody(POSTED)
  async postAs(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const bearer = request.headers.authorization;
    await this.posts.post(id, { bearer }, request, reply);
    plain(reply, 200, 'ok');
  }
}
