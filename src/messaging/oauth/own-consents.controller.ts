import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Calls } from '../../kernel/http/calls.js';
import { RestBody } from '../../kernel/http/rest-body.js';
import type { Identity } from '../access/identity.js';
import { Callers, RestCaller } from '../rest/rest-caller.js';
import { beginCall, restFaults } from '../rpc/journal.js';
import { OwnConsents } from './own-consents.js';

export class OwnConsentBody {
  @IsOptional() @IsString() scope?: string;
  @IsOptional() @IsString() user_scope?: string;
  @IsOptional() @IsString() redirect_uri?: string;
  @IsOptional() @IsString() state?: string;
  /** For `incoming-webhook`: name or id. */
  @IsOptional() @IsString() channel?: string;
}

/** docs/reference/installing.md#registration. */
@ApiTags('apps')
@Controller('apps')
export class OwnConsentsController {
  constructor(
    private readonly consents: OwnConsents,
    private readonly calls: Calls,
  ) {}

  // recorded as what it stands for, and without the state that the app is sent
  @Post(':id/install')
  @HttpCode(200)
  @Callers(['J'], { counts: true, unseen: true })
  @ApiOperation({ summary: 'Consent to an app as oneself. 404 app_not_found, 400 as authorize URLs answer' })
  async install(
    @RestCaller() caller: Identity,
    @Param('id') id: string,
    @RestBody() body: OwnConsentBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { state, ...asked } = body;
    const args = { app_id: id, ...asked, ...(typeof state === 'string' ? { state: '[redacted]' } : {}) };
    beginCall(this.calls, [request, reply], caller, { method: 'oauth.v2.authorize', args, isRead: false });
    await this.calls.applyFaults(request, reply, restFaults);
    return { redirect_to: await this.consents.give(caller, id, body) };
  }
}
