import { Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Admin } from '../../tenants/admins.js';
import type { SandboxCaller } from '../../tenants/sandbox-callers.js';
import { ForOperators, ForSandbox, SandboxCallerOf, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { listOf, objectOf, text } from '../access/schemas.js';
import { changesOf } from './sandbox-changes.js';
import { ActAsBody, SandboxChangesBody } from './sandboxes.dto.js';
import {
  ACT_AS_BODY,
  ACT_AS_SCHEMA,
  CHANGES_BODY,
  CONTROL_TOKEN_SCHEMA,
  SANDBOX_SCHEMA,
  SUCCESS_SCHEMA,
} from './sandboxes.schemas.js';
import { Sandboxes } from './sandboxes.service.js';
import { SandboxView } from './sandbox-view.js';

/** Sandboxes as wholes (docs/reference/sandboxes.md#sandboxes). The seeds' controller creates them. */
@ApiTags('sandboxes')
@Controller('sandboxes')
export class SandboxesController {
  constructor(
    private readonly sandboxes: Sandboxes,
    private readonly view: SandboxView,
  ) {}

  @Get()
  @ForOperators()
  @ApiOperation({ operationId: 'listSandboxes', summary: 'Sandboxes, oldest first, without credentials' })
  @ApiQuery({ name: 'limit', required: false, schema: { type: 'integer', minimum: 1, maximum: 200 } })
  @ApiQuery({ name: 'cursor', required: false, schema: { type: 'string' } })
  @ApiQuery({ name: 'label', required: false, schema: { type: 'string' }, description: 'key:value' })
  @ApiQuery({ name: 'name', required: false, schema: { type: 'string' } })
  @ApiOkResponse({ schema: objectOf({ sandboxes: listOf(SANDBOX_SCHEMA), next_cursor: text }) })
  list(@SandboxCallerOf() caller: SandboxCaller, @Query() query: Record<string, unknown>): Promise<object> {
    return this.sandboxes.list(caller.admin as Admin, query);
  }

  @Get(':id')
  @ForSandbox()
  @ApiOperation({ operationId: 'getSandbox', summary: 'A sandbox' })
  @ApiOkResponse({ schema: SANDBOX_SCHEMA })
  get(@SandboxOf() call: SandboxCall): Promise<object> {
    return this.view.one(call.sandbox);
  }

  @Patch(':id')
  @ForSandbox()
  @ApiOperation({ operationId: 'changeSandbox', summary: 'Change what is set about a sandbox' })
  @ApiBody({ schema: CHANGES_BODY })
  @ApiOkResponse({ schema: SANDBOX_SCHEMA })
  change(@SandboxOf() call: SandboxCall, @SandboxBody({ reports: 'all' }) body: SandboxChangesBody): Promise<object> {
    return this.sandboxes.change(call, changesOf(body));
  }

  @Delete(':id')
  @ForSandbox()
  @ApiOperation({ operationId: 'deleteSandbox', summary: 'Delete a sandbox. 409 cant_delete_default_workspace' })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async remove(@SandboxOf() call: SandboxCall): Promise<object> {
    await this.sandboxes.remove(call);
    return { success: true };
  }

  @Post(':id/control-token')
  @ForSandbox()
  @ApiOperation({ operationId: 'renewControlToken', summary: 'A new control token; the one before stops at once' })
  @ApiCreatedResponse({ schema: CONTROL_TOKEN_SCHEMA })
  async renew(@SandboxOf() call: SandboxCall): Promise<object> {
    return { control_token: await this.sandboxes.renewControlToken(call) };
  }

  @Post(':id/act-as')
  @HttpCode(201)
  @ForSandbox()
  @ApiOperation({
    operationId: 'actAs',
    summary: 'An access token of a person. 404 user_not_found, 400 cannot_act_as_bot, 409 user_disabled',
  })
  @ApiBody({ schema: ACT_AS_BODY })
  @ApiCreatedResponse({ schema: ACT_AS_SCHEMA })
  actAs(@SandboxOf() call: SandboxCall, @SandboxBody({ reports: 'all' }) body: ActAsBody): Promise<object> {
    return this.sandboxes.actAs(call, body.user);
  }
}
