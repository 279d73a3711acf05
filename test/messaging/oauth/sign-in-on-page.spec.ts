import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../../support/app.js';
import { errorOf, locationOf, offered, TestBrowser, ticketOf, type PageAnswer } from '../../support/consent.js';
import { authorizeUrl, clientCall } from '../../support/oauth-app.js';
import { rest } from '../../support/rest-client.js';
import { makeSandbox } from '../../support/sandbox-routes.js';
import { unique } from '../../support/unique.js';

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
    expect([wrong.status, wrong.html.includes('is wrong'), wrong.html.includes(`value="${shop.email}"`)]).toEqual([
      401,
      true,
      true,
    ]);
    const hostile = await signIn(browser, page, '"><script>alert(1)</script>', 'not it');
    expect([hostile.status, hostile.html.includes('<script')]).toEqual([401, false]);
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

  it('says what is wrong with the workspace asked for before anybody signs in', async () => {
    const [shop, other] = [await made(), await made()];
    for (const [team, error] of [
      ['T0NOWHERE01', 'team_not_found'],
      [other.team, 'invalid_team_for_non_distributed_app'],
    ] as const) {
      const page = await new TestBrowser(app).get(authorizeUrl(app, shop, { team }));
      expect([page.status, errorOf(page)]).toEqual([400, error]);
    }
  });

  it('lets who is a member of several workspaces choose among them, and among their own private channels', async () => {
    const shop = await made({ distributed: true, scopes: { bot: ['incoming-webhook'] } });
    const { email, password } = shop;
    const { accessToken: token } = (await rest(app, 'POST /auth/login', { body: { email, password } })).body;
    const second = await rest(app, 'POST /workspaces', { token, body: { name: 'Second & <Co>', domain: unique('w') } });
    expect(second.status, second.text).toBe(201);
    const hidden = await rest(app, 'POST /conversations.create', {
      token,
      body: { name: 'hidden', is_private: true, team_id: second.body.id },
    });
    expect(hidden.body.ok, hidden.text).toBe(true);
    const browser = new TestBrowser(app);
    const page = await browser.get(authorizeUrl(app, shop));
    const shown = await browser.get(next(await signIn(browser, page, email, password)).href);
    // the app's own comes first
    expect(offered(shown, 'team')).toEqual([shop.team, second.body.id]);
    expect(shown.html).toContain('Second &amp; &lt;Co&gt;');
    expect(offered(shown, 'channel')).toContain(hidden.body.channel.id);
    const decide = (fields: Record<string, string>) =>
      browser.post('/oauth/consent', { ticket: ticketOf(shown), decision: 'allow', ...fields });
    const elsewhere = await decide({ team: shop.team, channel: hidden.body.channel.id });
    expect([elsewhere.status, errorOf(elsewhere)]).toEqual([400, 'channel_not_found']);
    const decided = await decide({ team: second.body.id, channel: hidden.body.channel.id });
    const code = locationOf(decided).searchParams.get('code') as string;
    const fields = { client_id: shop.clientId, client_secret: shop.clientSecret, code };
    expect(await clientCall(app, 'oauth.v2.access', fields)).toMatchObject({
      team: { id: second.body.id },
      incoming_webhook: { channel_id: hidden.body.channel.id },
    });
  });

  it('forgets who signed in when their sandbox is reset, and a ticket after ten minutes', async () => {
    const shop = await made();
    const browser = new TestBrowser(app);
    const page = await browser.get(authorizeUrl(app, shop));
    await signIn(browser, page, shop.email, shop.password);
    expect((await browser.get(authorizeUrl(app, shop))).html).toContain('Signed in as');
    const reset = await fetch(`${app.baseUrl}/api/sandboxes/${shop.id}/reset`, { method: 'POST', headers: shop.ctl });
    expect(reset.status).toBe(200);
    const after = await browser.get(authorizeUrl(app, shop));
    expect(after.html).not.toContain('Signed in as');
    const spent = await browser.post('/oauth/consent', { ticket: ticketOf(page), decision: 'allow' });
    expect([spent.status, errorOf(spent)]).toEqual([403, 'bad_ticket']);
    await signIn(browser, after, shop.email, shop.password);
    app.clock.advance(10 * 60_000);
    try {
      const late = await browser.post('/oauth/consent', { ticket: ticketOf(after), decision: 'allow' });
      expect([late.status, errorOf(late)]).toEqual([403, 'bad_ticket']);
    } finally {
      app.clock.reset();
    }
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
