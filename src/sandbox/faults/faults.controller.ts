import { Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { listOf, objectOf, SUCCESS_SCHEMA } from '../access/schemas.js';
import { FaultBody } from './faults.dto.js';
import { FAULT_BODY, FAULT_SCHEMA } from './faults.schemas.js';
import { Faults } from './faults.service.js';

/** Faults of a sandbox (docs/reference/sandboxes.md#faults). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id/faults')
export class FaultsController {
  constructor(private readonly faults: Faults) {}

  @Post()
  @ForSandbox()
  @ApiOperation({ operationId: 'createFault', summary: 'Make calls fail. 409 too_many_faults' })
  @ApiBody({ schema: FAULT_BODY })
  @ApiCreatedResponse({ schema: FAULT_SCHEMA })
  create(
    @SandboxOf() { sandbox }: SandboxCall,
    @SandboxBody({ reports: 'path', requiresObject: true }) body: FaultBody,
  ): Promise<object> {
    return this.faults.create(sandbox.tenantId, body);
  }

  @Get()
  @ForSandbox()
  @ApiOperation({ operationId: 'listFaults', summary: 'All faults with their counts' })
  @ApiOkResponse({ schema: objectOf({ faults: listOf(FAULT_SCHEMA) }) })
  list(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    return this.faults.list(sandbox.tenantId);
  }

  @Delete(':fault')
  @ForSandbox()
  @ApiOperation({ operationId: 'deleteFault', summary: 'Remove one. 404 fault_not_found' })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async remove(@SandboxOf() { sandbox }: SandboxCall, @Param('fault') id: string): Promise<object> {
    await this.faults.remove(sandbox.tenantId, id);
    return { success: true };
  }

  @Delete()
  @ForSandbox()
  @ApiOperation({ operationId: 'deleteFaults', summary: 'Remove all' })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async removeAll(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    await this.faults.remove(sandbox.tenantId, null);
    return { success: true };
  }
}
