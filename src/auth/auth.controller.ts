import { Controller, Headers, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientAddresses } from '../kernel/http/client-addresses.js';
import { RestBody } from '../kernel/http/rest-body.js';
import { LoginBody, RefreshBody, SignupBody } from './auth.dto.js';
import { SignIn, type SessionAnswer } from './sign-in.service.js';
import { bearer } from '../kernel/http/bearer.js';

/**
 * Accounts and sessions of both products (docs/reference/control-plane.md#accounts,
 * docs/reference/control-plane.md#accounts).
 */
@ApiTags('auth')
@Controller('auth')
export class AuthController {
  constructor(
    private readonly signIn: SignIn,
    private readonly addresses: ClientAddresses,
  ) {}

  @Post('signup')
  @ApiOperation({
    summary: 'Make an account; answers a session. 403 signup_closed, 409 email_taken, 404 team_not_found',
  })
  signup(@RestBody() body: SignupBody, @Req() request: FastifyRequest): Promise<SessionAnswer> {
    return this.signIn.signup(body, this.addresses.of(request.raw));
  }

  @Post('login')
  @HttpCode(200)
  @ApiOperation({ summary: 'Sign in; answers a session. 401 invalid_credentials, 404 team_not_found' })
  login(@RestBody() body: LoginBody, @Req() request: FastifyRequest): Promise<SessionAnswer> {
    return this.signIn.login(body, this.addresses.of(request.raw));
  }

  @Post('refresh')
  @HttpCode(200)
  @ApiOperation({ summary: 'Exchange a refresh token, which is good for one use. 401 invalid_refresh_token' })
  async refresh(
    @RestBody() body: RefreshBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionAnswer> {
    const answer = await this.signIn.refresh(body.refreshToken, this.addresses.of(request.raw));
    reply.raw.once('finish', () => void this.signIn.markDelivered(body.refreshToken).catch(() => undefined));
    return answer;
  }

  @Post('logout')
  @HttpCode(200)
  @ApiBearerAuth()
  @ApiOperation({ summary: "End the caller's session: its access and refresh tokens die" })
  async logout(@Headers('authorization') authorization: string | undefined): Promise<object> {
    await this.signIn.logout(bearer(authorization));
    return { success: true };
  }
}
