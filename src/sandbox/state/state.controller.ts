import { BadRequestException, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { fromCaller } from '../../kernel/clock/request-sandbox.js';
import { hashesOf, type StateOptions } from '../../tenants/state/states.js';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { described, flag, integer, listOf, mapOf, objectOf, open, text } from '../access/schemas.js';
import { SandboxStates } from './sandbox-states.js';
import { CompareBody, faultOfIgnoredName } from './state.dto.js';

const DOCUMENT = objectOf({ format: text, chat: mapOf(listOf(open)), tracker: mapOf(listOf(open)) });
const STATE = objectOf(
  {
    hash: described(text, 'sha256: and 64 hexadecimal digits, of the canonical text of the document'),
    chat: text,
    tracker: text,
    counts: described(mapOf(integer), 'of each entity'),
  },
  { document: DOCUMENT },
);
const IGNORE = 'Entities (`message`) and fields (`issue.assignee`) to leave out';
const COMPARE = objectOf(
  {
    with: described(objectOf({}, { sandbox: text, snapshot: text, document: DOCUMENT, hash: text }), 'one of them'),
  },
  { ids: flag, ignore: described(listOf(text), IGNORE) },
);
const THINGS = described(mapOf(listOf(open)), 'by entity, at most 100 of each');
const COMPARISON = objectOf({
  equal: flag,
  hash: text,
  other: text,
  only_here: THINGS,
  only_there: THINGS,
  truncated: flag,
});

/** What a sandbox holds, as a hash or a document (docs/reference/sandboxes.md#state). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id/state')
export class StateController {
  constructor(private readonly states: SandboxStates) {}

  @Get()
  @ForSandbox()
  @ApiOperation({
    operationId: 'getState',
    summary: 'What the sandbox holds, as a hash or a document. 404 snapshot_not_found, 409 sandbox_too_large',
  })
  @ApiQuery({ name: 'at', required: false, schema: { type: 'string' }, description: 'A snapshot; default: now' })
  @ApiQuery({ name: 'ids', required: false, schema: { type: 'boolean' }, description: 'true: with ids and timestamps' })
  @ApiQuery({
    name: 'ignore',
    required: false,
    schema: { type: 'string' },
    description: `${IGNORE}, with commas between`,
  })
  @ApiQuery({ name: 'document', required: false, schema: { type: 'boolean' }, description: 'true: with the document' })
  @ApiOkResponse({ schema: STATE })
  async read(
    @SandboxOf() { sandbox }: SandboxCall,
    @Query('at') at?: unknown,
    @Query('ids') ids?: unknown,
    @Query('ignore') ignore?: unknown,
    @Query('document') withDocument?: unknown,
  ): Promise<object> {
    const options: StateOptions = { ids: readFlag('ids', ids), ignore: readIgnore(ignore) };
    const shows = readFlag('document', withDocument);
    const document = await this.states.read(sandbox.tenantId, readText('at', at), options);
    const counts = Object.fromEntries(
      Object.entries({ ...document.chat, ...document.tracker }).map(([entity, list]) => [entity, list.length]),
    );
    return { ...hashesOf(document), counts, ...(shows && { document: fromCaller(document) }) };
  }

  @Post('compare')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({
    operationId: 'compareState',
    summary:
      'What differs from another sandbox, a snapshot, a document or a hash. 404 sandbox_not_found, snapshot_not_found; 409 sandbox_too_large',
  })
  @ApiBody({ schema: COMPARE })
  @ApiOkResponse({ schema: COMPARISON })
  compare(
    @SandboxOf() call: SandboxCall,
    @SandboxBody({ reports: 'path', requiresObject: true }) { with: other, ids, ignore }: CompareBody,
  ): Promise<object> {
    return this.states.compare(call, other, { ids, ignore });
  }
}

function readText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new BadRequestException([`${name} must stand once`]);
  return value;
}

function readFlag(name: string, value: unknown): boolean {
  const read = readText(name, value);
  if (read !== undefined && read !== 'true' && read !== 'false') {
    throw new BadRequestException([`${name} must be true or false`]);
  }
  return read === 'true';
}

function readIgnore(value: unknown): string[] {
  const names = readText('ignore', value)?.split(',') ?? [];
  for (const name of names) {
    const fault = faultOfIgnoredName(name);
    if (fault !== undefined) throw new BadRequestException([`ignore: ${name}: ${fault}`]);
  }
  return names;
}
