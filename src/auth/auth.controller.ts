import { Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RestBody } from '../kernel/http/rest-body.js';
import { LoginBody, RefreshBody, SignupBody } from './auth.dto.js';
import { SignIn, type SessionAnswer } from './sign-in.service.js';

/** Accounts and sessions of both products (messaging.md E.1, tracker.md h.2). */
@ApiTags('auth')
@Controller('auth')
export class AuthController {
  constructor(private readonly signIn: SignIn) {}

  @Post('signup')
  @ApiOperation({ summary: 'Make an account; answers a session. 409 email_taken, 404 team_not_found' })
  signup(@RestBody() body: SignupBody): Promise<SessionAnswer> {
    return this.signIn.signup(body);
  }

  @Post('login')
  @HttpCode(200)
  @ApiOperation({ summary: 'Sign in; answers a session. 401 invalid_credentials, 404 team_not_found' })
  login(@RestBody() body: LoginBody): Promise<SessionAnswer> {
    return this.signIn.login(body);
  }

  @Post('refresh')
  @HttpCode(200)
  @ApiOperation({ summary: 'Exchange a refresh token, which is good for one use. 401 invalid_refresh_token' })
  refresh(@RestBody() body: RefreshBody): Promise<SessionAnswer> {
    return this.signIn.refresh(body.refreshToken);
  }

  @Post('logout')
  @HttpCode(200)
  @ApiBearerAuth()
  @ApiOperation({ summary: "End the caller's session: its access and refresh tokens die" })
  async logout(@Headers('authorization') authorization: string | undefined): Promise<object> {
    await this.signIn.logout(/^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]);
    return { success: true };
  }
}
