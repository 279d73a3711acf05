import { Controller, Get, Inject, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Calls } from '../../kernel/http/calls.js';
import { RestError } from '../../kernel/http/http-error.js';
import { Limits, scaled } from '../../kernel/limits/limits.js';
import { AuthorizeQuery } from '../../oauth/authorize-query.js';
import { ConsentBrowser } from '../../oauth/consent-browser.js';
import { ConsentErrors } from '../../oauth/consent.controller.js';
import { ConsentError } from '../../oauth/consent-error.js';
import { ConsentPages } from '../../oauth/consent-pages.js';
import { readAuthorize, type ChatConsentRequest } from './authorize-request.js';
import { authorizeCall } from './chat-consent.js';
import { Clients, type Client } from './clients.js';

/** Pages that one app's registration may have shown in a minute: nobody is known who asks for them. */
const PAGES = { kind: 'window', limit: 1_200, windowMs: 60_000 } as const;

/** Where an app sends people who install it (docs/reference/installing.md#authorize). */
@ApiExcludeController()
@Controller()
@UseFilters(ConsentErrors)
export class AuthorizeController {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly clients: Clients,
    private readonly pages: ConsentPages,
    private readonly calls: Calls,
    private readonly limits: Limits,
    private readonly browser: ConsentBrowser,
  ) {}

  @Get('oauth/v2/authorize')
  install(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.show(request, reply, 'install');
  }

  @Get('openid/connect/authorize')
  signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.show(request, reply, 'sign-in');
  }

  private async show(request: FastifyRequest, reply: FastifyReply, kind: ChatConsentRequest['kind']): Promise<void> {
    const query = AuthorizeQuery.read(request.url);
    const client = await this.clients.find(query.get('client_id'));
    if ((client?.sandbox?.methods ?? this.settings.methods) === 'core') throw new RestError(404, 'not_found');
    if (!client) throw new ConsentError(400, 'invalid_client_id', 'There is no app with this client id.');
    const args = query.shown();
    this.calls.begin(request, reply, { ...authorizeCall(client, kind), caller: { kind: 'browser' }, args });
    await this.calls.applyFaults(request, reply, this.pages.faultsFor(request));
    await this.count(client);
    const asked = readAuthorize(query, client, kind, this.browser.actingOf(request) !== undefined);
    await this.pages.show(request, reply, { product: 'chat', request: asked });
  }

  private async count({ id, sandbox }: Client): Promise<void> {
    const policy = scaled(PAGES, sandbox?.rateLimitMultiplier ?? this.settings.rateLimitMultiplier);
    if (!policy) return;
    const { allowed } = await this.limits.take(`${sandbox?.allowances ?? ''}oauth.v2.authorize:${id}`, policy);
    if (!allowed) throw new ConsentError(429, 'ratelimited', 'Too many people are asked at once.');
  }
}
