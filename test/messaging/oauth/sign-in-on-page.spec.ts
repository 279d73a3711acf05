import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../../support/app.js';
import { errorOf, locationOf, offered, TestBrowser, ticketOf, type PageAnswer } from '../../support/consent.js';
import { authorizeUrl, clientCall } from '../../support/oauth-app.js';
import { makeSandbox } from '../../support/sandbox-routes.js';

/** docs/reference/installing.md#the-consent-page */
describe('the consent page where people sign in', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_CONSENT: 'sign-in', DATABASE_URL: '', SVC_DATA_DIR: 'memory' });
  });
  afterAll(() => app.stop());

  /** A workspace with an app that is registered, and its owner's address and password. */
  async function made(more: object = {}) {
    const scopes = { bot: ['chat:write'] };
    const shop = { name: 'shop', scopes, redirect_urls: ['http://127.0.0.1:9/'], installed: false, ...more };
    const { body, ctl } = await makeSandbox(app, { methods: 'all', users: ['alice'], apps: [shop] });
    const { client_id: clientId, client_secret: clientSecret } = body.credentials.apps.shop;
    return {
      team: body.team_id as string,
      id: body.id as string,
      ctl,
      clientId,
      clientSecret,
      ...body.credentials.admin,
    };
  }

  /** Where a page of this server sends on to. */
  const next = ({ headers }: PageAnswer): URL => new URL(headers.get('location') ?? '', app.baseUrl);

  const signIn = (browser: TestBrowser, page: PageAnswer, email: string, password: string): Promise<PageAnswer> =>
    browser.post('/oauth/sign-in', { ticket: ticketOf(page), email, password });

  it('asks who it is, shows no people, and lets the member decide who signed in', async () => {
    const shop = await made();
    const browser = new TestBrowser(app);
    const page = await browser.get(authorizeUrl(app, shop));
    expect([page.status, offered(page, 'user'), page.html.includes('alice')]).toEqual([200, [], false]);
    const wrong = await signIn(browser, page, shop.email, 'not it');
    expect([wrong.status, wrong.html.includes('are wrong')]).toEqual([401, true]);
    const right = await signIn(browser, page, shop.email, shop.password);
    expect([right.status, next(right).pathname]).toEqual([303, '/oauth/consent']);
    const shown = await browser.get(next(right).href);
    expect(shown.html).toContain('Signed in as');
    expect([shown.html.includes('chat:write'), offered(shown, 'user')]).toEqual([true, []]);
    const decided = await browser.post('/oauth/consent', { ticket: ticketOf(shown), decision: 'allow' });
    const code = locationOf(decided).searchParams.get('code') as string;
    const answer = await clientCall(app, 'oauth.v2.access', {
      client_id: shop.clientId,
      client_secret: shop.clientSecret,
      code,
    });
    expect(answer).toMatchObject({ ok: true, authed_user: { id: shop.user_id }, team: { id: shop.team } });
    // the browser stays signed in for the next app
    const again = await browser.get(authorizeUrl(app, shop));
    expect(again.html).toContain('Signed in as');
  });

  it('lets nobody decide who did not sign in, or is no member', async () => {
    const shop = await made({ distributed: true });
    const stranger = await made();
    const browser = new TestBrowser(app);
    const page = await browser.get(authorizeUrl(app, shop));
    const unknown = await browser.post('/oauth/consent', {
      ticket: ticketOf(page),
      decision: 'allow',
      user: shop.user_id,
    });
    expect([unknown.status, errorOf(unknown)]).toEqual([400, 'user_not_found']);
    const theirs = await browser.get(authorizeUrl(app, shop, { team: shop.team }));
    const signed = await signIn(browser, theirs, stranger.email, stranger.password);
    const refused = await browser.get(next(signed).href);
    expect([refused.status, errorOf(refused)]).toEqual([403, 'not_a_member']);
    const decided = await browser.post('/oauth/consent', { ticket: ticketOf(theirs), decision: 'allow' });
    expect([decided.status, errorOf(decided)]).toEqual([403, 'not_a_member']);
  });

  it('is no hindrance to installing without a browser', async () => {
    const shop = await made();
    const response = await fetch(`${app.baseUrl}/api/sandboxes/${shop.id}/install`, {
      method: 'POST',
      headers: { ...shop.ctl, 'content-type': 'application/json' },
      body: JSON.stringify({ app: 'shop', as: 'alice', exchange: true }),
    });
    expect(await response.json()).toMatchObject({ installed: true, tokens: { ok: true } });
  });
});
