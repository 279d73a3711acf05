import { Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { flag, integer, listOf, mapOf, objectOf, SUCCESS_SCHEMA, text } from '../access/schemas.js';
import { InboxBody } from './inboxes.dto.js';
import { Inboxes } from './inboxes.service.js';

const ANSWER = {
  status: { type: 'integer', minimum: 200, maximum: 599, default: 200 },
  body: text,
  headers: mapOf(text),
  delay_ms: { type: 'integer', minimum: 0, maximum: 30_000 },
  challenge: flag,
} as const;
const NAME = { type: 'string', minLength: 1, maxLength: 80 } as const;

const INBOX_BODY = objectOf(
  {},
  { name: { ...NAME, nullable: true }, answers: { ...listOf(objectOf({}, ANSWER)), maxItems: 100 }, challenge: flag },
);
const INBOX_SCHEMA = objectOf(
  { id: text, url: text, answers: listOf(objectOf({}, ANSWER)), received: integer, created: integer },
  { name: NAME, challenge: flag },
);

/** URLs that accept any request and record it on the timeline (docs/reference/sandboxes.md#deliveries). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id/inboxes')
export class InboxesController {
  constructor(private readonly inboxes: Inboxes) {}

  @Post()
  @ForSandbox()
  @ApiOperation({ operationId: 'createInbox', summary: 'Make a URL that accepts any request. 409 too_many_inboxes' })
  @ApiBody({ required: false, schema: INBOX_BODY })
  @ApiCreatedResponse({ schema: INBOX_SCHEMA })
  create(@SandboxOf() { sandbox }: SandboxCall, @SandboxBody({ reports: 'path' }) body: InboxBody): Promise<object> {
    return this.inboxes.create(sandbox.tenantId, body);
  }

  @Get()
  @ForSandbox()
  @ApiOperation({ operationId: 'listInboxes', summary: 'The inboxes with their URLs' })
  @ApiOkResponse({ schema: objectOf({ inboxes: listOf(INBOX_SCHEMA) }) })
  list(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    return this.inboxes.list(sandbox.tenantId);
  }

  @Get(':inbox')
  @ForSandbox()
  @ApiOperation({ operationId: 'getInbox', summary: 'One inbox. 404 inbox_not_found' })
  @ApiOkResponse({ schema: INBOX_SCHEMA })
  one(@SandboxOf() { sandbox }: SandboxCall, @Param('inbox') id: string): Promise<object> {
    return this.inboxes.one(sandbox.tenantId, id);
  }

  @Delete()
  @ForSandbox()
  @ApiOperation({ operationId: 'deleteInboxes', summary: 'Delete all inboxes' })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async removeAll(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    await this.inboxes.remove(sandbox.tenantId, null);
    return { success: true };
  }

  @Delete(':inbox')
  @ForSandbox()
  @ApiOperation({ operationId: 'deleteInbox', summary: 'Delete an inbox. 404 inbox_not_found' })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async remove(@SandboxOf() { sandbox }: SandboxCall, @Param('inbox') id: string): Promise<object> {
    await this.inboxes.remove(sandbox.tenantId, id);
    return { success: true };
  }
}
