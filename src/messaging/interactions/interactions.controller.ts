import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '../access/identity.js';
import { Callers, RestCaller } from '../rest/rest-caller.js';
import { Interactions } from './interactions.service.js';
import { Responses } from './responses.service.js';

const ids = { type: 'array', items: { type: 'string' } } as const;
const OPTION = {
  type: 'object',
  required: ['value'],
  properties: { value: { type: 'string' }, text: { type: 'object' } },
} as const;

/** What was chosen: the field of the element's type, or `value` for a select's option. */
const CHOICES = {
  selected_option: OPTION,
  selected_options: { type: 'array', items: OPTION },
  selected_user: { type: 'string' },
  selected_users: ids,
  selected_channel: { type: 'string' },
  selected_channels: ids,
  selected_conversation: { type: 'string' },
  selected_conversations: ids,
  selected_date: { type: 'string' },
  selected_time: { type: 'string' },
  selected_date_time: { type: 'integer' },
} as const;

const INTERACTION = {
  type: 'object',
  properties: {
    type: {
      type: 'string',
      enum: ['block_actions', 'block_suggestion', 'view_submission', 'view_closed', 'shortcut', 'message_action'],
      default: 'block_actions',
    },
    channel: { type: 'string' },
    message_ts: { type: 'string' },
    view_id: { type: 'string', description: 'instead of a message: a modal or home before the caller' },
    actions: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        required: ['action_id'],
        properties: {
          action_id: { type: 'string' },
          block_id: { type: 'string' },
          value: { type: 'string' },
          ...CHOICES,
        },
      },
    },
    state: { type: 'object' },
    values: { type: 'object', description: 'view_submission: what is entered' },
    clear: { type: 'boolean', description: 'view_closed: the whole stack' },
    callback_id: { type: 'string', description: 'shortcut, message_action' },
    app_id: { type: 'string' },
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

/**
 * docs/reference/control-plane.md#interactions, and the response_url of
 * docs/reference/control-plane.md#slash-commands.
 */
@ApiTags('interactions')
@Controller('interactions')
export class InteractionsController {
  constructor(
    private readonly interactions: Interactions,
    private readonly responses: Responses,
  ) {}

  @Post()
  @HttpCode(200)
  @Callers(['J', 'U', 'B'], { counts: true })
  @ApiOperation({
    summary:
      'Act on what an app shows (a message, a modal, a home, a shortcut) and wait for the app. 502 when the app fails',
  })
  @ApiBody({ schema: INTERACTION as never })
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
