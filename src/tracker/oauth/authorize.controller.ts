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
import type { ConsentRequest } from '../../oauth/consent-product.js';
import { readAuthorize, redirectOf, type TrackerConsentRequest } from './authorize-request.js';
import { OauthClients, type OauthClient } from './oauth-clients.js';
import { authorizeCall, TrackerConsent } from './tracker-consent.js';

/** Pages that one application's registration may have shown in a minute: nobody is known who asks for them. */
const PAGES = { kind: 'window', limit: 1_200, windowMs: 60_000 } as const;

type Back = Pick<ConsentRequest, 'redirectUri' | 'state'>;

/** A request that a page can ask about; one that sends the browser back at once; one that is a page of its own. */
type Judged =
  | { readonly asked: TrackerConsentRequest }
  | { readonly back: Back; readonly refusal: ConsentRefusal }
  | { readonly error: ConsentError };

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
    const judged = await this.judge(query, client);
    this.calls.begin(request, reply, {
      ...authorizeCall(client),
      caller: { kind: 'browser' },
      args,
      ...('refusal' in judged && { isRedirect: true }),
    });
    await this.calls.applyFaults(request, reply, this.pages.faultsFor(request));
    await this.count(client);
    if ('error' in judged) throw judged.error;
    if ('refusal' in judged) return this.pages.sendBack(reply, judged.back, judged.refusal);
    await this.pages.show(request, reply, { product: 'tracker', request: judged.asked });
  }

  /** What becomes of a request: a fault of type `redirect` meets those alone that are refused at once by one. */
  private async judge(query: AuthorizeQuery, client: OauthClient): Promise<Judged> {
    let back: Back | undefined;
    try {
      back = redirectOf(query, client);
      const asked = readAuthorize(query, client, back);
      await this.consent.requirePlace(client, asked);
      return { asked };
    } catch (error) {
      if (error instanceof ConsentRefusal && back) return { back, refusal: error };
      if (error instanceof ConsentError) return { error };
      throw error;
    }
  }

  private async count({ id, sandbox }: OauthClient): Promise<void> {
    const policy = scaled(PAGES, sandbox?.rateLimitMultiplier ?? this.settings.rateLimitMultiplier);
    if (!policy) return;
    const { allowed } = await this.limits.take(`${sandbox?.allowances ?? ''}oauth/authorize:${id}`, policy);
    if (!allowed) throw new ConsentError(429, 'ratelimited', 'Too many people are asked at once.');
  }
}
