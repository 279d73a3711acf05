import { Controller, Get, Inject, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Calls } from '../../kernel/http/calls.js';
import { Limits, scaled } from '../../kernel/limits/limits.js';
import { AuthorizeQuery } from '../../oauth/authorize-query.js';
import { ConsentErrors } from '../../oauth/consent.controller.js';
import { ConsentError, ConsentRefusal } from '../../oauth/consent-error.js';
import { ConsentPages } from '../../oauth/consent-pages.js';
import { readAuthorize, redirectOf } from './authorize-request.js';
import { OauthClients, type OauthClient } from './oauth-clients.js';
import { authorizeCall, TrackerConsent } from './tracker-consent.js';

/** Pages that one application's registration may have shown in a minute: nobody is known who asks for them. */
const PAGES = { kind: 'window', limit: 1_200, windowMs: 60_000 } as const;

/** Where an application sends people for access (docs/reference/tracker-oauth.md#authorize). */
@ApiExcludeController()
@Controller()
@UseFilters(ConsentErrors)
export class TrackerAuthorizeController {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly clients: OauthClients,
    private readonly consent: TrackerConsent,
    private readonly pages: ConsentPages,
    private readonly calls: Calls,
    private readonly limits: Limits,
  ) {}

  @Get('oauth/authorize')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = AuthorizeQuery.read(request.url);
    const client = await this.clients.find(query.get('client_id'));
    if (!client) throw new ConsentError(400, 'invalid_client', 'There is no application with this client id.');
    const args = query.shown();
    this.calls.begin(request, reply, { ...authorizeCall(client), caller: { kind: 'browser' }, args });
    await this.calls.applyFaults(request, reply, this.pages.faultsFor(request));
    await this.count(client);
    const back = redirectOf(query, client);
    try {
      const asked = readAuthorize(query, client, back);
      await this.consent.requirePlace(client, asked);
      await this.pages.show(request, reply, { product: 'tracker', request: asked });
    } catch (error) {
      if (!(error instanceof ConsentRefusal)) throw error;
      await this.pages.sendBack(reply, back, error);
    }
  }

  private async count({ id, sandbox }: OauthClient): Promise<void> {
    const policy = scaled(PAGES, sandbox?.rateLimitMultiplier ?? this.settings.rateLimitMultiplier);
    if (!policy) return;
    const { allowed } = await this.limits.take(`${sandbox?.allowances ?? ''}oauth/authorize:${id}`, policy);
    if (!allowed) throw new ConsentError(429, 'ratelimited', 'Too many people are asked at once.');
  }
}
