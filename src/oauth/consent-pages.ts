import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SignIn } from '../auth/sign-in.service.js';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { Calls, callOf, type FaultDialect, type PlainAnswer } from '../kernel/http/calls.js';
import { eachText } from '../kernel/ids/id-space.js';
import { RestError, restErrorBody } from '../kernel/http/http-error.js';
import { ConsentBrowser } from './consent-browser.js';
import { ConsentError, ConsentRefusal } from './consent-error.js';
import { consentPage, errorPage, signInPage, type PageFrame } from './consent-page.js';
import {
  ConsentProducts,
  type ConsentRequest,
  type ConsentShown,
  type Decision,
  type Granted,
  type Viewer,
} from './consent-product.js';
import { ConsentTickets, type OpenTicket } from './consent-tickets.js';
import { OauthCodes } from './oauth-codes.js';
import { withQuery } from './queries.js';

const HEADERS = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** No form-action: browsers apply it to the redirects behind the form, which lead to apps. */
const policy = (nonce: string): string =>
  `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`;

/** Fields of the form. */
export type ConsentFields = Readonly<Record<string, unknown>>;

/** The page on which people let apps in (docs/reference/installing.md#the-consent-page). */
@Injectable()
export class ConsentPages {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly db: Db,
    private readonly products: ConsentProducts,
    private readonly tickets: ConsentTickets,
    private readonly codes: OauthCodes,
    private readonly browser: ConsentBrowser,
    private readonly signIns: SignIn,
    private readonly calls: Calls,
  ) {}

  /** Shows a request, which is valid, to a browser. */
  async show(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: { readonly product: string; readonly request: ConsentRequest },
  ): Promise<void> {
    const issued = await this.tickets.issue(this.browser.secretOf(request), asked);
    void reply.header('Set-Cookie', this.browser.cookieWith(request, issued.browser));
    await this.page(request, reply, { ...asked, accountId: issued.accountId }, issued.ticket);
  }

  /** Somebody signed in on the page: it is shown again, with what it asks for. */
  async signIn(request: FastifyRequest, reply: FastifyReply, fields: ConsentFields): Promise<void> {
    this.browser.requireOwnPage(request);
    const ticket = await this.tickets.open(fields['ticket'], this.browser.secretOf(request));
    const [email, password] = ['email', 'password'].map((name) => fields[name]).map(textOf) as [string, string];
    const account = await this.signIns.check(email, password).catch((error: unknown) => {
      if (error instanceof RestError && error.getStatus() === 401) return null;
      throw error;
    });
    if (account === null) {
      const shown = await this.products.of(ticket.product).show(ticket.request, { kind: 'account', accountId: null });
      return this.send(reply, 401, request, (frame) => signInPage(shown, frame, String(fields['ticket']), email));
    }
    await this.tickets.signIn(ticket, account);
    await reply
      .code(303)
      .headers(HEADERS)
      .header('Location', `${this.browser.pathFor(request)}oauth/consent?ticket=${String(fields['ticket'])}`)
      .send();
  }

  /** The page once more, of a ticket that is there. */
  async again(request: FastifyRequest, reply: FastifyReply, sent: unknown): Promise<void> {
    const ticket = await this.tickets.open(sent, this.browser.secretOf(request));
    await this.page(request, reply, ticket, String(sent));
  }

  /** Somebody has decided: sends them back to the app. */
  async decide(request: FastifyRequest, reply: FastifyReply, fields: ConsentFields): Promise<void> {
    this.browser.requireOwnPage(request);
    const ticket = await this.tickets.open(fields['ticket'], this.browser.secretOf(request));
    const call = await this.products.of(ticket.product).callOf(ticket.request);
    const shown = ['decision', 'user', 'team', 'channel'].filter((name) => typeof fields[name] === 'string');
    const args = Object.fromEntries(shown.map((name) => [name, fields[name]]));
    this.calls.begin(request, reply, { ...call, caller: { kind: 'browser' }, args, isRedirect: true });
    await this.calls.applyFaults(request, reply, this.faultsFor(request));
    const viewer = this.viewerOf(request, ticket.accountId);
    await this.redirect(reply, await this.outcome(ticket, viewer, fields));
  }

  /** What a decision adds to the redirect URL. */
  private async outcome(ticket: OpenTicket, viewer: Viewer, fields: ConsentFields): Promise<string> {
    const ids = await this.products.of(ticket.product).idsOf(ticket.request);
    const text = (name: string): string | undefined => {
      const value = fields[name];
      if (typeof value !== 'string' || value === '') return undefined;
      return ids?.inside(value) ?? value;
    };
    const { redirectUri, state } = ticket.request;
    if (text('decision') !== 'allow') {
      await this.db.write((tx) => this.tickets.spend(tx, ticket));
      const { denied } = this.products.of(ticket.product);
      return withQuery(redirectUri, { error: 'access_denied', error_description: denied, state });
    }
    const userId = viewer.kind === 'picker' ? text('user') : viewer.accountId;
    if (!userId) throw new ConsentError(400, 'user_not_found', 'Nobody was chosen.');
    const decision: Decision = { userId, placeId: text('team'), channelId: text('channel') };
    const product = this.products.of(ticket.product);
    let granted: Granted;
    try {
      granted = await product.grant(ticket.request, viewer, decision);
    } catch (error) {
      if (!(error instanceof ConsentRefusal)) throw error;
      await this.db.write((tx) => this.tickets.spend(tx, ticket));
      return refusedUrl(ticket.request, error);
    }
    return this.withCode(ticket.product, ticket.request, granted, (tx) => this.tickets.spend(tx, ticket));
  }

  /**
   * Somebody who is known already allows what is asked for, without the page.
   * @returns where their browser is to go, with a code
   * @throws ConsentError, ConsentRefusal
   */
  async allow(product: string, request: ConsentRequest, decision: Decision): Promise<string> {
    const viewer: Viewer = { kind: 'account', accountId: decision.userId };
    return this.withCode(product, request, await this.products.of(product).grant(request, viewer, decision));
  }

  private async withCode(
    product: string,
    { redirectUri, state }: ConsentRequest,
    granted: Granted,
    before: (tx: Tx) => Promise<void> = async () => {},
  ): Promise<string> {
    const code = this.products.of(product).newCode();
    await this.db.write(async (tx) => {
      await before(tx);
      await this.codes.store(tx, code, granted);
    });
    return withQuery(redirectUri, { code, state });
  }

  /** Sends a browser back to the app without asking anybody. */
  async sendBack(
    reply: FastifyReply,
    to: Pick<ConsentRequest, 'redirectUri' | 'state'>,
    refusal: ConsentRefusal,
  ): Promise<void> {
    await this.redirect(reply, refusedUrl(to, refusal));
  }

  private viewerOf(request: FastifyRequest, accountId: string | null): Viewer {
    const acting = this.browser.actingOf(request);
    if (acting !== undefined) return { kind: 'account', accountId: acting };
    return this.settings.consent === 'picker' ? { kind: 'picker' } : { kind: 'account', accountId };
  }

  /** Refusals as pages, or as JSON where that is wanted. */
  async refuse(request: FastifyRequest, reply: FastifyReply, error: ConsentError): Promise<void> {
    const call = callOf(request);
    if (call) call.error = error.code;
    const { status, headers, body } = this.refusal(request, error);
    await reply.code(status).headers(headers).send(body);
  }

  /** How a page is refused because a test asked for it. */
  faultsFor(request: FastifyRequest): FaultDialect {
    const refusal = (status: number, code: string, more: Record<string, string> = {}): PlainAnswer => {
      const call = callOf(request);
      if (call) call.error = code;
      const answer = this.refusal(request, new ConsentError(status, code));
      return { ...answer, headers: { ...answer.headers, ...more } };
    };
    return {
      ratelimited: (seconds) => refusal(429, 'ratelimited', { 'retry-after': String(seconds) }),
      error: ({ error, status }) => refusal(status ?? 400, error),
      unavailable: (seconds) => refusal(503, 'service_unavailable', { 'retry-after': String(seconds) }),
    };
  }

  private refusal(
    request: FastifyRequest,
    { status, code, sentence }: ConsentError,
  ): PlainAnswer & { headers: Record<string, string> } {
    const accept = request.headers.accept ?? '';
    if (accept.includes('json') && !accept.includes('html')) {
      const body = JSON.stringify(restErrorBody(status, code));
      return { status, headers: { ...HEADERS, 'content-type': 'application/json; charset=utf-8' }, body };
    }
    return { status, ...this.html((frame) => errorPage(code, sentence, frame), request) };
  }

  private async page(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: { readonly product: string; readonly request: ConsentRequest; readonly accountId: string | null },
    ticket: string,
  ): Promise<void> {
    const viewer = this.viewerOf(request, asked.accountId);
    let shown: ConsentShown;
    try {
      shown = await this.products.of(asked.product).show(asked.request, viewer);
    } catch (error) {
      if (!(error instanceof ConsentRefusal)) throw error;
      return this.sendBack(reply, asked.request, error);
    }
    const isUnknown = viewer.kind === 'account' && viewer.accountId === null;
    const ids = await this.products.of(asked.product).idsOf(asked.request);
    const seen = ids ? eachText(shown, (text) => ids.outside(text)) : shown;
    await this.send(reply, 200, request, (frame) =>
      isUnknown ? signInPage(seen, frame, ticket, undefined) : consentPage(seen, frame, ticket, seen.person),
    );
  }

  private async send(
    reply: FastifyReply,
    status: number,
    request: FastifyRequest,
    body: (frame: PageFrame) => string,
  ): Promise<void> {
    const page = this.html(body, request);
    await reply.code(status).headers(page.headers).send(page.body);
  }

  private html(
    body: (frame: PageFrame) => string,
    request: FastifyRequest,
  ): { headers: Record<string, string>; body: string } {
    const nonce = randomBytes(16).toString('base64url');
    return {
      headers: {
        ...HEADERS,
        'content-type': 'text/html; charset=utf-8',
        'Content-Security-Policy': policy(nonce),
      },
      body: body({ nonce, base: this.browser.pathFor(request) }),
    };
  }

  private async redirect(reply: FastifyReply, location: string): Promise<void> {
    await reply
      .code(302)
      .headers({ 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store', Location: location })
      .send();
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const refusedUrl = (
  { redirectUri, state }: Pick<ConsentRequest, 'redirectUri' | 'state'>,
  { error, description }: ConsentRefusal,
): string => withQuery(redirectUri, { error, error_description: description, state });
