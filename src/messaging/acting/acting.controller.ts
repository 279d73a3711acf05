import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
} from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { fromCaller } from '../../kernel/clock/request-sandbox.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Calls } from '../../kernel/http/calls.js';
import { RestError } from '../../kernel/http/http-error.js';
import { ProductActs } from '../../kernel/sandbox/product-acts.js';
import { beginCall } from '../rpc/journal.js';
import { ActCallers } from './act-callers.js';
import { ActErrorsFilter } from './act-errors.js';
import { Acting } from './acting.service.js';
import { ActNames } from './act-names.js';
import { DeliveryLog } from './delivery-log.js';
import { SHOWN } from './delivery-log.queries.js';
import { Fields } from './fields.js';
import { Screen } from './screen.service.js';

type Json = Record<string, unknown>;

const ACT = {
  type: 'object',
  properties: {
    as: { type: 'string', description: 'id, name or e-mail of a person: admins only' },
    team_id: { type: 'string' },
    wait_ms: { type: 'integer', minimum: 0, maximum: 10_000, default: 1000 },
    until: { type: 'string', enum: ['ack', 'activity', 'reply', 'none'] },
  },
  additionalProperties: true,
} as const;

const DEFAULT_LIMIT = 100;

/** Simulates what people do, for tests. */
@ApiTags('human actions')
@ApiBearerAuth()
@Controller('act')
@UseFilters(ActErrorsFilter)
export class ActingController {
  constructor(
    private readonly callers: ActCallers,
    private readonly acting: Acting,
    private readonly screens: Screen,
    private readonly names: ActNames,
    private readonly log: DeliveryLog,
    private readonly calls: Calls,
    private readonly products: ProductActs,
  ) {}

  @Get('screen')
  @ApiOperation({ summary: 'What a person sees of apps now: modals, homes, ephemeral messages, statuses of threads' })
  @ApiQuery({ name: 'as', required: false })
  @ApiQuery({ name: 'app_id', required: false })
  @ApiQuery({ name: 'channel', required: false })
  async screen(@Req() request: FastifyRequest, @Query() query: Json): Promise<object> {
    const person = await this.callers.personOf(request, query);
    const fields = new Fields(fromCaller(query));
    return this.screens.of(person, { appId: fields.optional('app_id'), channel: fields.optional('channel') });
  }

  @Get('tracker')
  @ApiOperation({ summary: 'What a person sees of the tracker now: an issue with its sessions of agents' })
  @ApiQuery({ name: 'as', required: false })
  @ApiQuery({ name: 'issue', required: false })
  async tracker(@Req() request: FastifyRequest, @Query() query: Json): Promise<object> {
    const person = await this.callers.personOf(request, query);
    const screen = this.products.screenOf('tracker');
    if (!screen) throw new RestError(404, 'not_found');
    return {
      user_id: person.userId,
      ...(await screen({ tenantId: person.tenantId, accountId: person.userId }, fromCaller(query))),
    };
  }

  @Get('deliveries')
  @ApiOperation({ summary: "An app's last 200 deliveries, newest first, kept for an hour" })
  @ApiQuery({ name: 'app_id', required: false })
  @ApiQuery({ name: 'limit', required: false })
  async deliveries(@Req() request: FastifyRequest, @Query() query: Json): Promise<object> {
    const person = await this.callers.personOf(request, query);
    const fields = new Fields(fromCaller(query));
    const app = await this.names.app(person, fields.optional('app_id'));
    const page = { limit: readLimit(fields.optional('limit')), from: readCursor(fields.optional('cursor')) };
    const { rows, next } = await this.log.page({ workspaceId: person.workspaceId, appId: app.id }, page);
    return {
      deliveries: rows,
      next_cursor: next === null ? '' : Buffer.from(`delivery:${next}`).toString('base64'),
    };
  }

  @Post(':verb')
  @HttpCode(200)
  @ApiOperation({ summary: 'Do what a person does, wait for apps, and report what they did' })
  @ApiBody({ schema: ACT as never })
  async act(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('verb') verb: string,
    @Body() body: Json | undefined,
    @Query() query: Json,
  ): Promise<object> {
    const person = await this.callers.personOf(request, { team_id: query['team_id'], ...body });
    const sent = fromCaller(body ?? {});
    // what a script does is a call of the person, and no fault hits it
    if (person.client === 'script') {
      const about = { method: `POST /api/act/${verb}`, args: sent, isRead: false };
      beginCall(this.calls, [request, reply], person, about);
    }
    return this.acting.act(person, verb, new Fields(sent));
  }
}

function readLimit(sent: string | undefined): number {
  if (sent === undefined) return DEFAULT_LIMIT;
  if (!/^[0-9]{1,15}$/.test(sent) || Number(sent) === 0) {
    throw new BadRequestException([`limit must be an integer from 1 to ${SHOWN}`]);
  }
  return Math.min(Number(sent), SHOWN);
}

function readCursor(sent: string | undefined): number | null {
  if (sent === undefined) return null;
  const match = /^delivery:(\d{1,15})$/.exec(Buffer.from(sent, 'base64').toString('latin1'));
  if (!match) throw new BadRequestException(['cursor must be a next_cursor of this list']);
  return Number(match[1]);
}
