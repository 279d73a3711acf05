import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { described, flag, integer, listOf, objectOf, text } from '../access/schemas.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { ResetLimitsBody } from './sandbox-limits.dto.js';
import { SandboxLimits } from './sandbox-limits.service.js';

const LIMIT = objectOf(
  { key: text, used: integer, limit: integer, resets_in_ms: integer },
  { app: text, app_id: text, user: text, user_id: text, channel: text, channel_id: text, webhook: text },
);

/** Allowances of a sandbox. */
@ApiTags('sandboxes')
@Controller('sandboxes/:id/limits')
export class SandboxLimitsController {
  constructor(private readonly limits: SandboxLimits) {}

  @Get()
  @ForSandbox()
  @ApiOperation({ operationId: 'listLimits', summary: 'Allowances that are partly used' })
  @ApiOkResponse({ schema: objectOf({ limits: listOf(LIMIT) }) })
  async list(@SandboxOf() { flags }: SandboxCall): Promise<object> {
    return { limits: await this.limits.list(flags) };
  }

  @Post('reset')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({
    operationId: 'resetLimits',
    summary: 'Refill allowances: all of them, or those of a method, an app, a channel',
  })
  @ApiBody({ required: false, schema: objectOf({}, { method: text, app: text, channel: text }) })
  @ApiOkResponse({ schema: objectOf({ success: flag, reset: described(integer, 'how many allowances') }) })
  async reset(
    @SandboxOf() { flags }: SandboxCall,
    @SandboxBody({ reports: 'path', requiresObject: 'unlessAbsent' }) body: ResetLimitsBody,
  ): Promise<object> {
    const { method, app, channel } = body;
    const reset = await this.limits.reset(flags, {
      method: method ?? undefined,
      app: app ?? undefined,
      channel: channel ?? undefined,
    });
    return { success: true, reset };
  }
}
