import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { restErrorBody } from '../../kernel/http/http-error.js';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { NoAuthorizeUrl } from './authorize-links.js';
import { ConfigTokenBody, EndTokensBody, InstallBody } from './installing.dto.js';
import {
  CONFIG_TOKEN_BODY,
  CONFIG_TOKEN_SCHEMA,
  ENDED_SCHEMA,
  END_TOKENS_BODY,
  INSTALL_BODY,
  INSTALLATIONS_SCHEMA,
  INSTALLED_SCHEMA,
} from './installing.schemas.js';
import { TestInstalls } from './installing.service.js';
import type { TokenChoice } from '../../oauth/installable-products.js';

/** Installing apps without a browser, and ending their tokens (docs/reference/installing.md#for-tests). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id')
export class InstallingController {
  constructor(
    private readonly installs: TestInstalls,
    private readonly clock: Clock,
  ) {}

  @Post('install')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({
    operationId: 'install',
    summary:
      'Install an app as a person with a browser does. 404 user_not_found, app_not_found, channel_not_found, 400 cannot_act_as_bot and the faults of authorize URLs, 409 no_authorize_url with `hops`',
  })
  @ApiBody({ schema: INSTALL_BODY })
  @ApiOkResponse({ schema: INSTALLED_SCHEMA })
  async install(
    @SandboxOf() { sandbox }: SandboxCall,
    @SandboxBody({ reports: 'path', requiresObject: true }) body: InstallBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    try {
      return await this.installs.install(sandbox.tenantId, body, (request.headers.host ?? '').toLowerCase());
    } catch (error) {
      if (!(error instanceof NoAuthorizeUrl)) throw error;
      void reply.code(409);
      return { ...restErrorBody(409, error.code), hops: error.hops };
    }
  }

  @Get('installations')
  @ForSandbox()
  @ApiOperation({ operationId: 'listInstallations', summary: 'What is installed, of both halves, oldest first' })
  @ApiOkResponse({ schema: INSTALLATIONS_SCHEMA })
  list(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    return this.installs.list(sandbox.tenantId);
  }

  @Post('tokens/expire')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({ operationId: 'expireTokens', summary: 'End tokens as their time does. 404 token_not_found' })
  @ApiBody({ schema: END_TOKENS_BODY })
  @ApiOkResponse({ schema: ENDED_SCHEMA })
  expire(
    @SandboxOf() call: SandboxCall,
    @SandboxBody({ reports: 'path', requiresObject: true }) body: EndTokensBody,
  ): Promise<object> {
    return this.end(call, 'expire', body);
  }

  @Post('tokens/revoke')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({ operationId: 'revokeTokens', summary: 'Revoke tokens, with what that ends. 404 token_not_found' })
  @ApiBody({ schema: END_TOKENS_BODY })
  @ApiOkResponse({ schema: ENDED_SCHEMA })
  revoke(
    @SandboxOf() call: SandboxCall,
    @SandboxBody({ reports: 'path', requiresObject: true }) body: EndTokensBody,
  ): Promise<object> {
    return this.end(call, 'revoke', body);
  }

  @Post('config-token')
  @ForSandbox()
  @ApiOperation({
    operationId: 'configToken',
    summary: 'A configuration token, for apps.manifest.*. 404 user_not_found, 400 cannot_act_as_bot',
  })
  @ApiBody({ schema: CONFIG_TOKEN_BODY, required: false })
  @ApiCreatedResponse({ schema: CONFIG_TOKEN_SCHEMA })
  configToken(
    @SandboxOf() { sandbox: { tenantId }, flags }: SandboxCall,
    @SandboxBody({ reports: 'path', requiresObject: 'unlessAbsent' }) { user }: ConfigTokenBody,
  ): Promise<object> {
    return this.clock.within(flags.time, () => this.installs.configToken(tenantId, user));
  }

  private async end(
    { sandbox: { tenantId }, flags }: SandboxCall,
    how: 'expire' | 'revoke',
    { product: name, token, app, kind, user }: EndTokensBody,
  ): Promise<object> {
    const product = await this.installs.productOf(tenantId, name ?? 'chat', undefined);
    const choice: TokenChoice = token === undefined ? { app, kind: kind as NonNullable<typeof kind>, user } : { token };
    return { count: await this.clock.within(flags.time, () => product.endTokens(tenantId, how, choice)) };
  }
}
