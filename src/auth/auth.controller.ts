import { Controller, Headers, HttpCode, Post, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RestBody } from '../kernel/http/rest-body.js';
import { LoginBody, RefreshBody, SignupBody } from './auth.dto.js';
import { CountsAs } from './auth-throttler.guard.js';
import { SignIn, type SessionAnswer } from './sign-in.service.js';
import { bearer } from '../kernel/http/bearer.js';

/**
 * Accounts and sessions of both products (docs/reference/control-plane.md#accounts,
 * docs/reference/control-plane.md#accounts).
 */
@ApiTags('auth')
@Controller('auth')
export class AuthController {
  constructor(private readonly signIn: SignIn) {}

  @Post('signup')
  @CountsAs('signup')
  @ApiOperation({
    summary: 'Make an account; answers a session. 403 signup_closed, 409 email_taken, 404 team_not_found',
  })
  signup(@RestBody() body: SignupBody): Promise<SessionAnswer> {
    return this.signIn.signup(body);
  }

  @Post('login')
  @HttpCode(200)
  @CountsAs('login')
  @ApiOperation({ summary: 'Sign in; answers a session. 401 invalid_credentials, 404 team_not_found' })
  login(@RestBody() body: LoginBody): Promise<SessionAnswer> {
    return this.signIn.login(body);
  }

  @Post('refresh')
  @HttpCode(200)
  @CountsAs('refresh')
  @ApiOperation({ summary: 'Exchange a refresh token, which is good for one use. 401 invalid_refresh_token' })
  async refresh(
    @RestBody() body: RefreshBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionAnswer> {
    const answer = await this.signIn.refresh(body.refreshToken);
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
