import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isObject } from '../../kernel/matchers/matcher.js';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { anything, integer, listOf, objectOf, oneOf, orNull, SUCCESS_SCHEMA, text } from '../access/schemas.js';
import { SCRIPT_ENTRY } from '../seeds/document.schema.js';
import { Scripts } from './scripts.service.js';

const SCRIPT = objectOf(
  {
    script: listOf(
      objectOf({
        name: text,
        state: oneOf('waiting', 'due', 'done', 'failed'),
        fired: integer,
        next_at: orNull(text),
        error: orNull(text),
        entry: anything,
      }),
    ),
  },
  { warnings: listOf(text) },
);

/** What colleagues do by themselves (docs/reference/sandboxes.md#colleagues). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id/script')
export class ScriptsController {
  constructor(private readonly scripts: Scripts) {}

  @Get()
  @ForSandbox()
  @ApiOperation({ operationId: 'getScript', summary: 'What colleagues do by themselves, and what became of it' })
  @ApiOkResponse({ schema: SCRIPT })
  list(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    return this.scripts.list(sandbox.tenantId);
  }

  @Post()
  @ForSandbox()
  @ApiOperation({
    operationId: 'addToScript',
    summary: 'Add entries. 409 name_taken, too_many_script_entries',
  })
  @ApiBody({ schema: objectOf({ script: listOf(SCRIPT_ENTRY) }) })
  @ApiCreatedResponse({ schema: SCRIPT })
  add(@SandboxOf() call: SandboxCall, @Body() body: unknown): Promise<object> {
    return this.scripts.add(call, isObject(body) ? body['script'] : undefined);
  }

  @Delete()
  @ForSandbox()
  @ApiOperation({ operationId: 'deleteScript', summary: 'Remove all entries' })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async removeAll(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    await this.scripts.remove(sandbox.tenantId, null);
    return { success: true };
  }

  @Delete(':name')
  @ForSandbox()
  @ApiOperation({ operationId: 'deleteScriptEntry', summary: 'Remove one. 404 script_entry_not_found' })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async remove(@SandboxOf() { sandbox }: SandboxCall, @Param('name') name: string): Promise<object> {
    await this.scripts.remove(sandbox.tenantId, name);
    return { success: true };
  }
}
