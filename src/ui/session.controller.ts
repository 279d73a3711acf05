import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CountsAs } from '../auth/auth-throttler.guard.js';
import { LoginBody, SignupBody } from '../auth/auth.dto.js';
import { RestBody } from '../kernel/http/rest-body.js';
import { OwnPageGuard } from './request-origin.js';
import { LinkBody, TeamBody } from './session.dto.js';
import { UiSessions, type OpenedSession } from './ui-sessions.js';
import { UiBase } from './ui-base.js';

/** Sign-in of the web UI; no other route reads its cookie. */
@ApiTags('web UI')
@Controller('ui/session')
@UseGuards(OwnPageGuard)
export class UiSessionController {
  constructor(
    private readonly sessions: UiSessions,
    private readonly base: UiBase,
  ) {}

  @Post('login')
  @HttpCode(200)
  @CountsAs('login')
  @ApiOperation({ summary: 'Sign this browser in. 401 invalid_credentials, 404 team_not_found' })
  async login(@RestBody() body: LoginBody, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.send(request, reply, 200, await this.sessions.login(this.base.secretOf(request), body));
  }

  @Post('signup')
  @CountsAs('signup')
  @ApiOperation({ summary: 'Make an account and sign this browser in. 409 email_taken, 404 team_not_found' })
  async signup(
    @RestBody() body: SignupBody,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.send(request, reply, 201, await this.sessions.signup(this.base.secretOf(request), body));
  }

  @Post('link')
  @HttpCode(200)
  @ApiOperation({ summary: 'Sign this browser in by a one-time link. 401 invalid_link' })
  async link(@RestBody() body: LinkBody, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.send(request, reply, 200, await this.sessions.link(this.base.secretOf(request), body.key));
  }

  @Post('refresh')
  @HttpCode(200)
  @ApiOperation({ summary: 'A new access token for who is signed in here. 401 not_authed, 404 team_not_found' })
  async refresh(@RestBody() body: TeamBody, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = await this.sessions.refresh(this.base.secretOf(request), body.team_id ?? undefined);
    await this.send(request, reply, 200, opened);
  }

  @Post('logout')
  @HttpCode(200)
  @ApiOperation({ summary: 'Sign this browser out of one workspace, or of all' })
  async logout(@RestBody() body: TeamBody, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const left = await this.sessions.logout(this.base.secretOf(request), body.team_id ?? undefined);
    if (left === 0) void reply.header('Set-Cookie', this.base.cookieWith(request, undefined));
    await reply.code(200).header('Cache-Control', 'no-store').send({ success: true });
  }

  private async send(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    opened: OpenedSession,
  ): Promise<void> {
    await reply
      .code(status)
      .header('Set-Cookie', this.base.cookieWith(request, opened.secret))
      .header('Cache-Control', 'no-store')
      .send(opened.answer);
  }
}
