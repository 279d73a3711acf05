import { Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Admin } from '../../tenants/admins.js';
import type { SandboxCaller } from '../../tenants/sandbox-callers.js';
import { ForOperators, SandboxCallerOf } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { between, flag, integer, listOf, objectOf, oneOf, orNull, SUCCESS_SCHEMA, text } from '../access/schemas.js';
import { CHANGEABLE } from '../sandboxes/sandboxes.schemas.js';
import { MAX_POOL_SIZE, PoolBody, PoolChangesBody } from './pools.dto.js';
import { Pools } from './pools.service.js';

const POOL_SCHEMA = objectOf({
  id: text,
  name: text,
  from: text,
  size: integer,
  ready: integer,
  making: integer,
  claimed: integer,
  id_space: oneOf('server', 'own'),
  refill: flag,
  created: integer,
  error: orNull(text),
});

const size = between(1, MAX_POOL_SIZE);
const POOL_BODY = objectOf(
  { name: { type: 'string', pattern: '^[a-z0-9._-]{1,40}$' }, from: text, size },
  {
    id_space: { type: 'string', enum: ['server', 'own'], default: 'own' },
    deterministic: { type: 'boolean', default: false },
    refill: { type: 'boolean', default: true },
    ttl_seconds: CHANGEABLE.ttl_seconds,
    urls: CHANGEABLE.urls,
  },
);

/** Sandboxes that are made in advance (docs/reference/sandboxes.md#pools). The seeds' controller hands them out. */
@ApiTags('sandboxes')
@Controller('pools')
export class PoolsController {
  constructor(private readonly pools: Pools) {}

  @Post()
  @ForOperators()
  @ApiOperation({
    operationId: 'createPool',
    summary:
      'Keep copies of a snapshot ready. 404 snapshot_not_found, 409 name_taken, too_many_pools, too_many_sandboxes',
  })
  @ApiBody({ schema: POOL_BODY })
  @ApiCreatedResponse({ schema: POOL_SCHEMA })
  make(@SandboxCallerOf() caller: SandboxCaller, @SandboxBody({ reports: 'all' }) body: PoolBody): Promise<object> {
    return this.pools.make(caller, body);
  }

  @Get()
  @ForOperators()
  @ApiOperation({ operationId: 'listPools', summary: 'Pools, oldest first' })
  @ApiQuery({ name: 'limit', required: false, schema: { type: 'integer', minimum: 1, maximum: 200 } })
  @ApiQuery({ name: 'cursor', required: false, schema: { type: 'string' } })
  @ApiOkResponse({ schema: objectOf({ pools: listOf(POOL_SCHEMA), next_cursor: text }) })
  list(@SandboxCallerOf() caller: SandboxCaller, @Query() query: Record<string, unknown>): Promise<object> {
    return this.pools.list(caller.admin as Admin, query);
  }

  @Get(':pool')
  @ForOperators()
  @ApiOperation({ operationId: 'getPool', summary: 'A pool, by id or name. 404 pool_not_found' })
  @ApiOkResponse({ schema: POOL_SCHEMA })
  get(@SandboxCallerOf() caller: SandboxCaller, @Param('pool') pool: string): Promise<object> {
    return this.pools.get(caller.admin as Admin, pool);
  }

  @Patch(':pool')
  @ForOperators()
  @ApiOperation({
    operationId: 'changePool',
    summary: 'Change how many it keeps ready. 404 pool_not_found, 409 too_many_sandboxes',
  })
  @ApiBody({ schema: objectOf({}, { size, refill: flag }) })
  @ApiOkResponse({ schema: POOL_SCHEMA })
  change(
    @SandboxCallerOf() caller: SandboxCaller,
    @Param('pool') pool: string,
    @SandboxBody({ reports: 'all' }) body: PoolChangesBody,
  ): Promise<object> {
    return this.pools.change(caller.admin as Admin, pool, body);
  }

  @Delete(':pool')
  @ForOperators()
  @ApiOperation({
    operationId: 'deletePool',
    summary: 'Delete a pool and what is ready in it; what was claimed stays. 404 pool_not_found',
  })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async remove(@SandboxCallerOf() caller: SandboxCaller, @Param('pool') pool: string): Promise<object> {
    await this.pools.remove(caller.admin as Admin, pool);
    return { success: true };
  }
}
