import { BadRequestException, Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiProduces, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { fromCaller, ownIds } from '../../kernel/clock/request-sandbox.js';
import type { IdSpace } from '../../kernel/ids/id-space.js';
import { HttpEdges } from '../../kernel/http/edges.js';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { anything, flag, integer, listOf, mapOf, objectOf, oneOf, orNull, text } from '../access/schemas.js';
import { Trajectories } from './trajectories.service.js';
import { TrajectoryReplays, type TrajectoryReplayed } from './trajectory-replays.js';
import type { Line } from './trajectory.js';

const REPLAY = /^\/api\/sandboxes\/[^/]+\/replay$/;
const TRAJECTORY = /^\/api\/sandboxes\/[^/]+\/trajectory$/;
const MAX_BYTES = 16 * 1024 * 1024;
const LINES = 'application/x-ndjson';

const REPLAYED = objectOf({
  calls: integer,
  same: integer,
  skipped: listOf(objectOf({ n: integer, reason: oneOf('cut', 'unknown_actor', 'redacted') })),
  differs: listOf(objectOf({ n: integer, path: text, expected: anything, actual: anything })),
  state: objectOf({ expected: orNull(text), actual: text, equal: flag }),
  mapped: mapOf(text),
});

/** What happened in a sandbox as a file, and such a file played again (docs/reference/sandboxes.md#trajectories). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id')
export class TrajectoriesController {
  constructor(
    private readonly trajectories: Trajectories,
    private readonly replays: TrajectoryReplays,
    edges: HttpEdges,
  ) {
    edges.addLines(REPLAY, MAX_BYTES);
    edges.addLongWork(REPLAY);
    edges.addLongWork(TRAJECTORY);
  }

  @Get('trajectory')
  @ForSandbox()
  @ApiOperation({
    operationId: 'readTrajectory',
    summary: 'What happened, one JSON object a line. 400 invalid_cursor, 409 journal_off, sandbox_too_large',
  })
  @ApiQuery({
    name: 'since',
    required: false,
    schema: { type: 'string', default: 'start' },
    description: '`start`: the oldest entry that is kept; `mark`: the last mark; or a cursor',
  })
  @ApiProduces(LINES)
  @ApiOkResponse({ content: { [LINES]: { schema: { type: 'string' } } } })
  async read(
    @SandboxOf() call: SandboxCall,
    @Res() reply: FastifyReply,
    @Query('since') since: unknown = 'start',
  ): Promise<void> {
    if (typeof since !== 'string' || since === '')
      throw new BadRequestException(['since must be start, mark or a cursor']);
    const lines = this.trajectories.read(call, since);
    // what refuses the call is known with the first line
    const first = await lines.next();
    await reply
      .type(`${LINES}; charset=utf-8`)
      .send(Readable.from(asText(first, lines, ownIds()), { objectMode: false }));
  }

  @Post('replay')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({
    operationId: 'replayTrajectory',
    summary: 'Play the calls of a trajectory here, and tell what is different. 413 payload_too_large',
  })
  @ApiConsumes(LINES)
  @ApiBody({ schema: { type: 'string' } })
  @ApiQuery({
    name: 'stop',
    required: false,
    schema: { type: 'boolean' },
    description: 'true: end at the first difference',
  })
  @ApiOkResponse({ schema: REPLAYED })
  replay(
    @SandboxOf() call: SandboxCall,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Query('stop') stop?: unknown,
  ): Promise<TrajectoryReplayed> {
    if (stop !== undefined && stop !== 'true' && stop !== 'false') {
      throw new BadRequestException(['stop must be true or false']);
    }
    const sent = Buffer.isBuffer(body) ? body.toString('utf8') : '';
    const file = call.flags.ids ? fromCaller(sent) : sent;
    return this.replays.replay(call, file, { stop: stop === 'true', isGone: () => request.raw.socket.destroyed });
  }
}

async function* asText(
  first: IteratorResult<Line>,
  lines: AsyncGenerator<Line>,
  ids: IdSpace | null,
): AsyncGenerator<string> {
  const textOf = (line: Line): string => {
    const text = JSON.stringify(line);
    return `${ids?.outside(text) ?? text}\n`;
  };
  if (!first.done) yield textOf(first.value);
  for await (const line of lines) yield textOf(line);
}
