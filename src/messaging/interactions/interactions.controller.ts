import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '../model/identity.js';
import { Callers, RestCaller } from '../rest/rest-caller.js';
import { Interactions } from './interactions.service.js';
import { Responses } from './responses.service.js';

const CLICK = {
  type: 'object',
  required: ['channel', 'message_ts', 'actions'],
  properties: {
    type: { type: 'string', enum: ['block_actions'] },
    channel: { type: 'string' },
    message_ts: { type: 'string' },
    actions: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        required: ['action_id'],
        properties: { action_id: { type: 'string' }, block_id: { type: 'string' }, value: { type: 'string' } },
      },
    },
    state: { type: 'object' },
  },
} as const;

const RESPONSE = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    blocks: { type: 'array', items: {} },
    attachments: { type: 'array', items: {} },
    response_type: { type: 'string', enum: ['ephemeral', 'in_channel'] },
    thread_ts: { type: 'string' },
    replace_original: { type: 'boolean' },
    delete_original: { type: 'boolean' },
  },
} as const;

/** messaging.md E.8, and the response_url of E.7. */
@ApiTags('interactions')
@Controller('interactions')
export class InteractionsController {
  constructor(
    private readonly interactions: Interactions,
    private readonly responses: Responses,
  ) {}

  @Post()
  @HttpCode(200)
  @Callers(['J', 'U', 'B'])
  @ApiOperation({ summary: "Click on an element of an app's message and wait for the app. 502 when the app fails" })
  @ApiBody({ schema: CLICK as never })
  play(@RestCaller() caller: Identity, @Body() body: Record<string, unknown> | undefined): Promise<object> {
    return this.interactions.play(caller, body ?? {});
  }

  @Post('respond/:secret')
  @HttpCode(200)
  @ApiOperation({ summary: 'Answer a command or a click later: 30 minutes, 5 uses. Answers ok as text' })
  @ApiBody({ schema: RESPONSE as never })
  async respond(
    @Param('secret') secret: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.responses.respond(secret, request.body as Buffer | undefined, request.headers['content-type']);
    void reply.code(200).header('Content-Type', 'text/plain; charset=utf-8').send('ok');
  }
}
