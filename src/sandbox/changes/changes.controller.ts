import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { RestError } from '../../kernel/http/http-error.js';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { described, flag, integer, listOf, mapOf, MATCHER, objectOf, open, orNull, text } from '../access/schemas.js';
import { DIFFERS_SCHEMA } from '../timeline/timeline.schemas.js';
import { Assertions } from './assertions.service.js';
import { AssertBody } from './changes.dto.js';
import { Changes, CLASSES } from './changes.service.js';
import { readAssert } from './expectation.js';

/** The most items in each list. */
const MAX_CHANGES = 1_000;

const BY_ENTITY = mapOf(listOf(open));
const CHANGED = mapOf(
  listOf(
    objectOf(
      { id: text, before: open, after: open, fields: listOf(text) },
      { ref: text, channel: text, channel_name: text },
    ),
  ),
);
const COUNTS = described(mapOf(integer), 'of each entity');
const CHANGES_SCHEMA = objectOf({
  added: BY_ENTITY,
  changed: CHANGED,
  removed: BY_ENTITY,
  counts: objectOf({ added: COUNTS, changed: COUNTS, removed: COUNTS }),
  truncated: flag,
});

const EXPECTATION = objectOf(
  {},
  {
    added: text,
    changed: text,
    removed: text,
    called: described(text, 'a method, or a family (`conversations.*`)'),
    where: orNull(MATCHER),
    count: { oneOf: [integer, MATCHER], description: 'a number, or operators; default: at least one' },
  },
);
const ASSERT_BODY = objectOf(
  {},
  {
    since: { type: 'string', default: 'baseline' },
    expect: { ...listOf(EXPECTATION), maxItems: 200 },
    nothing_else: listOf(text),
  },
);
const FAILURE = objectOf(
  { message: text },
  {
    expectation: described(integer, 'its place in `expect`'),
    nothing_else: described(text, 'the entity'),
    closest: listOf(objectOf({ entry: open, differs: DIFFERS_SCHEMA })),
    unexpected: listOf(open),
  },
);

/**
 * The changes since a snapshot, and whether they are what a test expects
 * (docs/reference/sandboxes.md#changes-and-assertions).
 */
@ApiTags('sandboxes')
@Controller('sandboxes/:id')
export class ChangesController {
  constructor(
    private readonly changes: Changes,
    private readonly assertions: Assertions,
  ) {}

  @Get('changes')
  @ForSandbox()
  @ApiOperation({
    operationId: 'listChanges',
    summary: 'The net effect since a snapshot, from the rows themselves. 404 snapshot_not_found',
  })
  @ApiQuery({ name: 'since', required: false, schema: { type: 'string', default: 'baseline' } })
  @ApiOkResponse({ schema: CHANGES_SCHEMA })
  async list(@SandboxOf() { sandbox }: SandboxCall, @Query('since') since: unknown = 'baseline'): Promise<object> {
    if (typeof since !== 'string') throw new RestError(400, 'since: must stand once');
    const found = await this.changes.since(sandbox.tenantId, since === '' ? 'baseline' : since, MAX_CHANGES);
    const all = [...found];
    const lists = CLASSES.map((each): [string, object] => [
      each,
      Object.fromEntries(all.flatMap(([name, of]) => (of[each].length > 0 ? [[name, of[each]]] : []))),
    ]);
    const counts = CLASSES.map((each): [string, object] => [
      each,
      Object.fromEntries(all.flatMap(([name, of]) => (of.counts[each] > 0 ? [[name, of.counts[each]]] : []))),
    ]);
    const truncated = all.some(([, of]) => CLASSES.some((each) => of.counts[each] > of[each].length));
    return { ...Object.fromEntries(lists), counts: Object.fromEntries(counts), truncated };
  }

  @Post('assert')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({
    operationId: 'assertChanges',
    summary: 'Whether what is expected has happened, and nothing else. 404 snapshot_not_found',
  })
  @ApiBody({ schema: ASSERT_BODY })
  @ApiOkResponse({ schema: objectOf({ passed: flag, failures: listOf(FAILURE) }) })
  check(
    @SandboxOf() { sandbox, flags }: SandboxCall,
    @SandboxBody({ reports: 'path', requiresObject: true }) body: AssertBody,
  ): Promise<object> {
    const request = readAssert(body, this.changes.entities);
    return this.assertions.check({ tenantId: sandbox.tenantId, journal: flags.journal }, request);
  }
}
