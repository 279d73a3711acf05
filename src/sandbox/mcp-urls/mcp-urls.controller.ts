import { Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { MayBeAbsent, NoOtherFields, TextThat } from '../access/body-rules.js';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { described, integer, listOf, objectOf, orNull, SUCCESS_SCHEMA, text } from '../access/schemas.js';
import { McpUrls } from './mcp-urls.service.js';

@NoOtherFields()
class McpUrlBody {
  @MayBeAbsent()
  @TextThat((as) => as !== '' && as.length <= 300, 'must be the id or name of an app or a person')
  as?: string;
}

const MADE = objectOf({ id: text, chat_url: text, issues_url: text, as: text });

/** URLs of the tool servers whose path is the credential (docs/reference/mcp.md#by-url). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id/mcp-urls')
export class McpUrlsController {
  constructor(private readonly urls: McpUrls) {}

  @Post()
  @ForSandbox()
  @ApiOperation({
    operationId: 'createMcpUrl',
    summary: 'Make URLs of both tool servers that act as an app or a person. 404 user_not_found, 409 too_many_mcp_urls',
  })
  @ApiBody({
    required: false,
    schema: objectOf({}, { as: described(text, 'id or name of an app or a person; default: the default app') }),
  })
  @ApiCreatedResponse({ schema: MADE })
  create(
    @SandboxOf() call: SandboxCall,
    @SandboxBody({ reports: 'path', requiresObject: 'unlessAbsent' }) { as }: McpUrlBody,
  ): Promise<object> {
    return this.urls.make(call, as);
  }

  @Get()
  @ForSandbox()
  @ApiOperation({ operationId: 'listMcpUrls', summary: 'Whom they act as, without the URLs' })
  @ApiOkResponse({ schema: objectOf({ mcp_urls: listOf(objectOf({ id: text, as: orNull(text), created: integer })) }) })
  async list(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    return { mcp_urls: await this.urls.list(sandbox.tenantId) };
  }

  @Delete(':url')
  @ForSandbox()
  @ApiOperation({ operationId: 'deleteMcpUrl', summary: 'End both URLs. 404 mcp_url_not_found' })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async remove(@SandboxOf() { sandbox }: SandboxCall, @Param('url') id: string): Promise<object> {
    await this.urls.remove(sandbox.tenantId, id);
    return { success: true };
  }
}
