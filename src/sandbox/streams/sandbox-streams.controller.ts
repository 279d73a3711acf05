import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SandboxStreams } from '../../kernel/sandbox/sandbox-streams.js';
import { SandboxViews } from '../../kernel/sandbox/sandbox-views.js';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { described, integer, listOf, objectOf, oneOf, orNull, text } from '../access/schemas.js';
import { ExpireStreamsBody } from './sandbox-streams.dto.js';

const STREAM = objectOf({
  channel: text,
  ts: text,
  thread_ts: orNull(text),
  app_id: text,
  state: oneOf('open', 'stopped', 'expired', 'stopped_by_user'),
  started_at: described(text, "ISO, by the sandbox's clock"),
  expires_at: orNull(described(text, "ISO, by the sandbox's clock; null: never")),
  appends: integer,
  characters: integer,
});

/** Messages that apps write bit by bit (docs/reference/sandboxes.md#streams). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id/streams')
export class SandboxStreamsController {
  constructor(
    private readonly streams: SandboxStreams,
    private readonly views: SandboxViews,
  ) {}

  @Get()
  @ForSandbox()
  @ApiOperation({ operationId: 'listStreams', summary: 'The newest 200 streams, open and ended' })
  @ApiOkResponse({ schema: objectOf({ streams: listOf(STREAM) }) })
  async list(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    return { streams: await this.streams.list(sandbox.tenantId) };
  }

  @Post('expire')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({
    operationId: 'expireStreams',
    summary: 'Expire open streams now: all, or those of a channel, or one',
  })
  @ApiBody({ required: false, schema: objectOf({}, { channel: described(text, 'id or name'), ts: text }) })
  @ApiOkResponse({ schema: objectOf({ expired: described(integer, 'how many') }) })
  async expire(
    @SandboxOf() { sandbox: { tenantId } }: SandboxCall,
    @SandboxBody({ reports: 'path', requiresObject: 'unlessAbsent' }) { channel, ts }: ExpireStreamsBody,
  ): Promise<object> {
    const channels = channel ? [...((await this.views.aliases(tenantId, [channel])).get(channel) ?? [])] : undefined;
    return { expired: await this.streams.expire(tenantId, { channels, ts: ts ?? undefined }) };
  }
}
