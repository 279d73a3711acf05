import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { RestError } from '../../kernel/http/http-error.js';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import {
  described,
  flag,
  integer,
  listOf,
  mapOf,
  MATCHER,
  number,
  objectOf,
  open,
  orNull,
  text,
} from '../access/schemas.js';
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

const COUNTED = {
  where: orNull(MATCHER),
  count: { oneOf: [integer, MATCHER], description: 'a number, or operators; default: at least one' },
};
const EXPECTATION = objectOf(
  {},
  {
    added: text,
    changed: text,
    removed: text,
    exists: described(text, 'an entity: what is there now, whenever it came'),
    unchanged: described(text, 'an entity of which nothing came, changed or went'),
    called: described(text, 'a method, or a family (`conversations.*`)'),
    by: described(text, 'of `called`: name or id of an app or a person'),
    ...COUNTED,
    state: described(text, 'the hash of the state'),
    ids: described(flag, 'of `state`'),
    ignore: described(listOf(text), 'of `state`'),
    order: described(listOf(open), 'calls whose first matches are in this order'),
    not: described(open, 'an expectation that does not hold'),
    any: described(listOf(open), 'expectations of which one holds'),
    all: described(listOf(open), 'expectations that all hold'),
    weight: { type: 'number', minimum: 0, maximum: 1_000_000, default: 1 },
  },
);
const ASSERT_BODY = objectOf(
  {},
  {
    since: { type: 'string', default: 'baseline' },
    expect: { ...listOf(EXPECTATION), maxItems: 500 },
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

const RESULT = objectOf(
  { passed: flag, weight: number },
  {
    expectation: described(integer, 'its place in `expect`'),
    nothing_else: described(flag, 'true: all of `nothing_else` together'),
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
    summary: 'Whether what is expected has happened, and nothing else. 404 snapshot_not_found, 409 sandbox_too_large',
  })
  @ApiBody({ schema: ASSERT_BODY })
  @ApiOkResponse({
    schema: objectOf({
      passed: flag,
      score: described(number, 'the weights of what passed over all, from 0 to 1'),
      results: listOf(RESULT),
      failures: listOf(FAILURE),
    }),
  })
  check(
    @SandboxOf() { sandbox, flags }: SandboxCall,
    @SandboxBody({ reports: 'path', requiresObject: true }) body: AssertBody,
  ): Promise<object> {
    const request = readAssert(body, this.changes.entities);
    return this.assertions.check({ tenantId: sandbox.tenantId, journal: flags.journal }, request);
  }
}
