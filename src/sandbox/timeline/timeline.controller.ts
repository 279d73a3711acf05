import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { SUCCESS_SCHEMA, type SchemaObject } from '../access/schemas.js';
import { seqOf } from './cursor.js';
import { keepValue, type Entry } from './entry.js';
import { readFilters } from './filters.js';
import { toHar } from './har.js';
import { Recorder } from './recorder.js';
import { ReplayBody } from './replay.dto.js';
import { Replays, type Replayed } from './replays.js';
import { NoteBody } from './timeline.dto.js';
import {
  CURSOR_SCHEMA,
  ENTRY_SCHEMA,
  FILTER_SCHEMAS,
  HAR_SCHEMA,
  NOTE_BODY,
  PAGE_SCHEMA,
  REPLAY_BODY,
  REPLAYED_SCHEMA,
} from './timeline.schemas.js';
import { Streams } from './streams.js';
import { Timeline } from './timeline.service.js';

type QueryFields = Readonly<Record<string, unknown>>;

const VIEW_FIELDS = ['limit', 'order', 'view'];

const describeFilters = (...more: string[]): MethodDecorator => {
  const names = Object.keys(FILTER_SCHEMAS).filter((name) => more.includes(name) || !VIEW_FIELDS.includes(name));
  const all = names.map((name) => ApiQuery({ name, required: false, schema: FILTER_SCHEMAS[name] as SchemaObject }));
  return (target, key, descriptor) => all.forEach((one) => (one as MethodDecorator)(target, key, descriptor));
};

/** The timeline of a sandbox (docs/reference/sandboxes.md#timeline). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id')
export class TimelineController {
  constructor(
    private readonly timeline: Timeline,
    private readonly streams: Streams,
    private readonly recorder: Recorder,
    private readonly publicUrl: PublicUrl,
    private readonly clock: Clock,
    private readonly replays: Replays,
  ) {}

  @Get('timeline')
  @ForSandbox()
  @ApiOperation({ operationId: 'readTimeline', summary: 'Calls, events, deliveries and what the test did, in order' })
  @describeFilters('limit', 'order', 'view')
  @ApiOkResponse({ schema: PAGE_SCHEMA })
  page(@SandboxOf() { sandbox }: SandboxCall, @Query() query: QueryFields): Promise<object> {
    return this.timeline.page(sandbox.tenantId, readFilters(query));
  }

  @Get('timeline.har')
  @ForSandbox()
  @ApiOperation({ operationId: 'readTimelineAsHar', summary: 'Calls and HTTP deliveries as HAR 1.2, the newest 1,000' })
  @describeFilters()
  @ApiOkResponse({ schema: HAR_SCHEMA })
  async har(@SandboxOf() { sandbox }: SandboxCall, @Query() query: QueryFields): Promise<object> {
    const filters = readFilters({ ...query, limit: '1000', order: 'desc', view: 'full' });
    const kinds = (filters.kinds ?? ['call', 'delivery']).filter((kind) => kind === 'call' || kind === 'delivery');
    const { entries } = await this.timeline.page(sandbox.tenantId, { ...filters, kinds });
    return toHar(entries.toReversed(), this.publicUrl.base);
  }

  @Get('timeline/stream')
  @ForSandbox()
  @ApiOperation({ operationId: 'streamTimeline', summary: 'New entries as server-sent events' })
  @describeFilters('view')
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ schema: { type: 'string' } })
  stream(
    @SandboxOf() { sandbox }: SandboxCall,
    @Query() query: QueryFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.streams.open(sandbox.tenantId, query, request, reply);
  }

  @Get('timeline/:entry')
  @ForSandbox()
  @ApiOperation({ operationId: 'readTimelineEntry', summary: 'One whole entry. 404 entry_not_found' })
  @ApiOkResponse({ schema: ENTRY_SCHEMA })
  async entry(@SandboxOf() { sandbox }: SandboxCall, @Param('entry') id: string): Promise<Entry> {
    const seq = seqOf(id);
    const entry = seq === undefined ? undefined : await this.timeline.entry(sandbox.tenantId, seq);
    if (!entry) throw new RestError(404, 'entry_not_found');
    return entry;
  }

  @Post('timeline/:entry/replay')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({
    operationId: 'replayCall',
    summary:
      'Make a recorded call once more, with other arguments or as somebody else. 404 entry_not_found, 409 not_replayable',
  })
  @ApiBody({ schema: REPLAY_BODY, required: false })
  @ApiOkResponse({ schema: REPLAYED_SCHEMA })
  async replay(
    @SandboxOf() call: SandboxCall,
    @Param('entry') id: string,
    @SandboxBody({ reports: 'path' }) body: ReplayBody,
  ): Promise<Replayed> {
    return this.replays.replay(call, await this.entry(call, id), body);
  }

  @Post('timeline')
  @ForSandbox()
  @ApiOperation({ operationId: 'addNote', summary: 'Add a note of the test to the timeline' })
  @ApiBody({ schema: NOTE_BODY })
  @ApiCreatedResponse({ schema: ENTRY_SCHEMA })
  async note(
    @SandboxOf() { sandbox }: SandboxCall,
    @SandboxBody({ reports: 'path' }) { text, data }: NoteBody,
  ): Promise<Entry> {
    const kept = data === undefined ? undefined : keepValue(data);
    this.recorder.add({
      tenantId: sandbox.tenantId,
      atMs: null,
      wallMs: this.clock.wallMs(),
      kind: 'note',
      head: { text, ...(kept?.cutFrom !== undefined && { truncated: true, length: kept.cutFrom }) },
      body: { data: kept?.json },
    });
    const { entries } = await this.timeline.page(
      sandbox.tenantId,
      readFilters({ kind: 'note', order: 'desc', limit: '1' }),
    );
    return entries[0] as Entry;
  }

  @Post('timeline/mark')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({ operationId: 'markTimeline', summary: 'Make waits begin here from now on' })
  @ApiOkResponse({ schema: CURSOR_SCHEMA })
  async mark(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    return { cursor: await this.timeline.mark(sandbox.tenantId) };
  }

  @Delete('timeline')
  @ForSandbox()
  @ApiOperation({ operationId: 'clearTimeline', summary: 'Empty it' })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async clear(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    await this.timeline.clear(sandbox.tenantId);
    return { success: true };
  }
}
