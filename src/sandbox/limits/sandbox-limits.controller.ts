import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RestError } from '../../kernel/http/http-error.js';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { described, flag, integer, listOf, objectOf, text } from '../access/schemas.js';
import { isObject } from '../matchers/matcher.js';
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
  @ApiOperation({ operationId: 'listLimits', summary: 'The allowances of which something is used' })
  @ApiOkResponse({ schema: objectOf({ limits: listOf(LIMIT) }) })
  async list(@SandboxOf() { flags }: SandboxCall): Promise<object> {
    return { limits: await this.limits.list(flags) };
  }

  @Post('reset')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({
    operationId: 'resetLimits',
    summary: 'Give back what is used; all of it, or of a method, an app, a channel',
  })
  @ApiBody({ required: false, schema: objectOf({}, { method: text, app: text, channel: text }) })
  @ApiOkResponse({ schema: objectOf({ success: flag, reset: described(integer, 'how many allowances') }) })
  async reset(@SandboxOf() { flags }: SandboxCall, @Body() body: unknown): Promise<object> {
    const sent = body ?? {};
    if (!isObject(sent)) throw new RestError(400, 'invalid_json');
    const read = (name: string): string | undefined => {
      const value = sent[name] ?? undefined;
      if (value !== undefined && typeof value !== 'string') throw new RestError(400, `${name}: must be a string`);
      return value;
    };
    const reset = await this.limits.reset(flags, {
      method: read('method'),
      app: read('app'),
      channel: read('channel'),
    });
    return { success: true, reset };
  }
}
