import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { objectOf, RESET_SCHEMA, SNAPSHOT_SCHEMA, SUCCESS_SCHEMA } from '../sandboxes/sandboxes.schemas.js';
import { ResetBody, TakeSnapshotBody } from './snapshots.dto.js';
import { Snapshots } from './snapshots.service.js';

/** Snapshots and resets (docs/reference/sandboxes.md#snapshots). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id')
export class SnapshotsController {
  constructor(private readonly snapshots: Snapshots) {}

  @Get('snapshots')
  @ForSandbox()
  @ApiOperation({ operationId: 'listSnapshots', summary: 'Snapshots, oldest first' })
  @ApiOkResponse({ schema: objectOf({ snapshots: { type: 'array', items: SNAPSHOT_SCHEMA } }) })
  async list(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    return { snapshots: await this.snapshots.list(sandbox) };
  }

  @Post('snapshots')
  @ForSandbox()
  @ApiOperation({
    operationId: 'takeSnapshot',
    summary: 'Save the current state; the same name again replaces it. 409 too_many_snapshots, sandbox_too_large',
  })
  @ApiBody({
    required: false,
    schema: { type: 'object', properties: { name: { type: 'string', minLength: 1, maxLength: 80 } } },
  })
  @ApiCreatedResponse({ schema: SNAPSHOT_SCHEMA })
  take(
    @SandboxOf() { sandbox }: SandboxCall,
    @SandboxBody({ reports: 'all' }) body: TakeSnapshotBody,
  ): Promise<object> {
    return this.snapshots.take(sandbox, body.name);
  }

  @Delete('snapshots/:snapshot')
  @ForSandbox()
  @ApiOperation({
    operationId: 'deleteSnapshot',
    summary: 'Delete a snapshot. 404 snapshot_not_found, 409 cant_delete_baseline',
  })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async remove(@SandboxOf() { sandbox }: SandboxCall, @Param('snapshot') snapshot: string): Promise<object> {
    await this.snapshots.remove(sandbox, snapshot);
    return { success: true };
  }

  @Post('reset')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({
    operationId: 'resetSandbox',
    summary: 'Reset to a snapshot, or to the initial state. 404 snapshot_not_found',
  })
  @ApiBody({ required: false, schema: { type: 'object', properties: { to: { type: 'string', default: 'baseline' } } } })
  @ApiOkResponse({ schema: RESET_SCHEMA })
  reset(@SandboxOf() { sandbox }: SandboxCall, @SandboxBody({ reports: 'all' }) body: ResetBody): Promise<object> {
    return this.snapshots.reset(sandbox, body.to);
  }
}
