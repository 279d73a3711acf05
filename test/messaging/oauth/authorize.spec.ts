import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { consent, errorOf, locationOf, offered, TestBrowser, ticketOf } from '../../support/consent.js';
import { authorizeUrl, codeFor, install, oauthApp, redeem, REDIRECT } from '../../support/oauth-app.js';

const app = useApp();

/** The error of an authorize URL; a fault never redirects. */
async function fault(url: string): Promise<string> {
  const page = await new TestBrowser(app).get(url);
  if (page.status !== 400 || page.headers.has('location'))
    return `${page.status} ${page.headers.get('location') ?? ''}`;
  return errorOf(page);
}

/** The status of a path for who asks for another host. */
const statusUnder = (host: string, path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const call = request(`${app.baseUrl}${path}`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject).end();
  });

/** docs/reference/installing.md#authorize */
describe('the authorize URL', () => {
  it('shows each fault as a page, in the order of its checks, and never redirects', async () => {
    const ws = await app.workspace();
    const other = await app.workspace();
    const client = await oauthApp(app, ws, { bot: [] });
    const of = (query: Record<string, string>): Promise<string> => fault(authorizeUrl(app, client, query));
    expect(await fault(`${app.baseUrl}/oauth/v2/authorize`)).toBe('invalid_client_id');
    expect(await fault(authorizeUrl(app, { clientId: '000000000000.0000000000000' }))).toBe('invalid_client_id');
    expect(await of({ redirect_uri: 'http://evil.example/' })).toBe('bad_redirect_uri');
    expect(await fault(`${authorizeUrl(app, client, { scope: 'chat:write' })}&scope=admin`)).toBe('bad_redirect_uri');
    expect(await of({})).toBe('no_scopes');
    for (const scope of ['chat:writ', 'openid', 'email']) expect(await of({ scope })).toBe('invalid_scope');
    expect(await of({ user_scope: 'commands' })).toBe('invalid_scope');
    const scope = 'chat:write';
    expect(await of({ scope, code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' })).toBe('pkce_not_allowed');
    expect(await of({ scope, state: 'x'.repeat(2_001) })).toBe('invalid_arguments');
    expect(await of({ scope, team: 'T0NOSUCH000' })).toBe('team_not_found');
    expect(await of({ scope, team: other.id })).toBe('invalid_team_for_non_distributed_app');
    // what means nothing here may come twice
    expect(await fault(`${authorizeUrl(app, client)}&utm=1&utm=2`)).toBe('no_scopes');
    const json = await fetch(authorizeUrl(app, client), { headers: { accept: 'application/json' } });
    expect([json.status, await json.json()]).toEqual([400, expect.objectContaining({ message: 'no_scopes' })]);
  });

  it('asks for what the manifest has where nothing is named', async () => {
    const client = await oauthApp(app, await app.workspace(), { bot: ['chat:write'], user: ['users:read'] });
    const empty: Record<string, string>[] = [{}, { scope: '', user_scope: '' }, { scope: ' ' }, { user_scope: ' ,' }];
    for (const query of empty) {
      const { status, html } = await new TestBrowser(app).get(authorizeUrl(app, client, query));
      expect([query, status, html.includes('chat:write'), html.includes('users:read')]).toEqual([
        query,
        200,
        true,
        true,
      ]);
    }
  });

  it('knows PKCE by S256 alone, and gives no bot to a desktop', async () => {
    const ws = await app.workspace();
    const redirectUrls = ['my-app://done', REDIRECT];
    const client = await oauthApp(app, ws, { pkce: true, redirectUrls });
    const of = (query: Record<string, string>): Promise<string> => fault(authorizeUrl(app, client, query));
    const challenge = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' };
    expect(await of({ user_scope: 'users:read', ...challenge, code_challenge_method: 'plain' })).toBe(
      'invalid_arguments',
    );
    expect(await of({ user_scope: 'users:read', redirect_uri: 'my-app://done' })).toBe('invalid_arguments');
    expect(await of({ scope: 'chat:write', redirect_uri: 'my-app://done', ...challenge })).toBe('invalid_scope');
    expect(await of({ scope: 'chat:write', redirect_uri: REDIRECT, ...challenge })).toBe('invalid_scope');
    const url = authorizeUrl(app, client, { user_scope: 'users:read', redirect_uri: 'my-app://done', ...challenge });
    expect((await new TestBrowser(app).get(url)).status).toBe(200);
  });

  it('sends nobody to a URL that is not registered, however it is spelled', async () => {
    const ws = await app.workspace();
    const redirectUrls = ['https://good.example/slack/callback', 'https://good.example/q?a=1'];
    const client = await oauthApp(app, ws, { redirectUrls });
    const good = ['https://good.example/slack/callback', 'https://GOOD.example/slack/callback/deeper?x=1'];
    const evil = [
      'https://good.example.evil.example/slack/callback',
      'https://good.example@evil.example/slack/callback',
      'https://evil.example/https://good.example/slack/callback',
      'https://good.example/slack/callback-evil',
      'https://good.example/slack/callback/../../evil',
      'https://good.example/slack/callback/%2e%2e/%2e%2e/evil',
      'https://good.example/slack/callback%2f..%2f..%2fevil',
      'https://good.example\\@evil.example/slack/callback',
      'https:\\\\evil.example/slack/callback',
      '//evil.example/slack/callback',
      'https:evil.example/slack/callback',
      'https://good.example:8443/slack/callback',
      'http://good.example/slack/callback',
      'https://good.example/slack/callback#@evil.example',
      'https://good.exa\tmple/slack/callback',
      'https://good.example/q?a=2',
      'javascript:alert(1)//good.example/slack/callback',
      'data:text/html,evil',
      ' https://evil.example/',
    ];
    for (const uri of good)
      expect([uri, (await new TestBrowser(app).get(authorizeUrl(app, client, { redirect_uri: uri }))).status]).toEqual([
        uri,
        200,
      ]);
    for (const uri of evil)
      expect([uri, await fault(authorizeUrl(app, client, { redirect_uri: uri }))]).toEqual([uri, 'bad_redirect_uri']);
    const sent = await consent(app, authorizeUrl(app, client, { redirect_uri: `${redirectUrls[1] as string}` }), {
      user: ws.admin.id,
    });
    expect(sent.href).toMatch(/^https:\/\/good\.example\/q\?a=1&code=/);
  });
});

/** docs/reference/installing.md#the-consent-page */
describe('the consent page', () => {
  it('says who asks for what, marks what is new, and picks among the people of the workspace', async () => {
    const ws = await app.workspace();
    const alice = await ws.user();
    const client = await oauthApp(app, ws);
    await install(app, client, ws.admin.id, { scope: 'chat:write' });
    const page = await new TestBrowser(app).get(
      authorizeUrl(app, client, { scope: 'chat:write,users:read', user_scope: 'search:read' }),
    );
    expect(page.status).toBe(200);
    expect(page.html).not.toContain('<script');
    expect(page.html).toContain('<li><code>chat:write</code></li>');
    expect(page.html).toContain('<li><code>users:read</code><span class="new">new</span></li>');
    expect(offered(page, 'user').sort()).toEqual([alice.id, ws.admin.id].sort());
    expect(offered(page, 'channel')).toEqual([]);
    const hook = await new TestBrowser(app).get(authorizeUrl(app, client, { scope: 'incoming-webhook' }));
    expect(offered(hook, 'channel')).toEqual([ws.general.id, ws.random.id]);
  });

  it('may not be put into a frame, runs no script, and is kept by nobody', async () => {
    const ws = await app.workspace();
    const { headers } = await new TestBrowser(app).get(authorizeUrl(app, await oauthApp(app, ws)));
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'nonce-[\w-]+'; base-uri 'none'; frame-ancestors 'none'$/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'set-cookie': expect.stringMatching(
        /^svc_consent_[0-9a-f]{8}=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/oauth; Max-Age=3600$/,
      ),
    });
  });

  it('shows what apps and people call themselves as text, and only to who asked for this server', async () => {
    const ws = await app.workspace();
    await ws.user({ realName: 'Eve "<img src=x onerror=alert(1)>' });
    const client = await oauthApp(app, ws, { name: '</h1><script>alert(1)</script>' });
    const url = authorizeUrl(app, client);
    const page = await new TestBrowser(app).get(url, { origin: 'https://evil.example' });
    expect(page.html).toContain('&lt;/h1&gt;&lt;script&gt;alert(1)&lt;/script&gt; asks for access');
    expect(page.html).toContain('Eve &quot;&lt;img src=x onerror=alert(1)&gt;');
    expect(page.html).not.toMatch(/<script|<img/);
    expect([...page.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    for (const path of [new URL(url).pathname, '/openid/connect/authorize', '/openid/connect/keys', '/oauth/consent'])
      expect([path, await statusUnder('evil.example', path)]).toEqual([path, 403]);
  });

  it('is decided once, in the browser that saw it, by a form of its own', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const browser = new TestBrowser(app);
    const page = await browser.get(authorizeUrl(app, client));
    const fields = { ticket: ticketOf(page), user: ws.admin.id, decision: 'allow' };
    const refused = async (by: TestBrowser, sent: Record<string, string>, headers = {}): Promise<unknown> => {
      const answer = await by.post('/oauth/consent', sent, headers);
      return [answer.status, errorOf(answer)];
    };
    const stranger = new TestBrowser(app);
    await stranger.get(authorizeUrl(app, client));
    expect(await refused(stranger, fields)).toEqual([403, 'bad_ticket']);
    expect(await refused(new TestBrowser(app), fields)).toEqual([403, 'bad_ticket']);
    expect(await refused(browser, { ...fields, ticket: 'a'.repeat(43) })).toEqual([403, 'bad_ticket']);
    expect(await refused(browser, fields, { 'sec-fetch-site': 'cross-site' })).toEqual([403, 'cross_origin']);
    expect(await refused(browser, fields, { origin: 'https://evil.example' })).toEqual([403, 'cross_origin']);
    expect(await refused(browser, { ...fields, user: 'U0NOSUCH000' })).toEqual([400, 'user_not_found']);
    const bot = await install(app, await oauthApp(app, ws), ws.admin.id);
    expect(await refused(browser, { ...fields, user: bot.bot_user_id })).toEqual([400, 'user_not_found']);
    // neither of them has spent it
    const both = await Promise.all([browser.post('/oauth/consent', fields), browser.post('/oauth/consent', fields)]);
    expect(both.map(({ status }) => status).sort()).toEqual([302, 403]);
    expect(await refused(browser, fields)).toEqual([403, 'bad_ticket']);
  });

  it('sends who cancels back with access_denied, and installs nothing', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const url = await consent(app, authorizeUrl(app, client, { state: 's' }), { user: ws.admin.id, decision: 'deny' });
    expect(Object.fromEntries(url.searchParams)).toEqual({ error: 'access_denied', state: 's' });
  });

  it('keeps secrets and state out of the timeline', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws, { rotation: true });
    const browser = new TestBrowser(app);
    const page = await browser.get(authorizeUrl(app, client, { state: 'my-own-state' }));
    const decided = await browser.post('/oauth/consent', {
      ticket: ticketOf(page),
      user: ws.admin.id,
      decision: 'allow',
    });
    const code = locationOf(decided).searchParams.get('code') as string;
    const answer = await redeem(app, client, code);
    const { token } = await ws.jwtClient({ user: ws.admin });
    const send = (method: string, path: string, body?: object): Promise<Response> =>
      fetch(`${app.baseUrl}/api/sandboxes/self${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    await send('PATCH', '', { journal: true });
    await redeem(app, client, await codeFor(app, client, ws.admin.id, { state: 'another-state' }));
    const timeline = await (await send('GET', '/timeline?limit=200')).text();
    expect(timeline).toContain('oauth.v2.access');
    expect(timeline).toContain('oauth.v2.authorize');
    for (const secret of [code, answer.access_token, answer.refresh_token, client.clientSecret, 'another-state'])
      expect(timeline).not.toContain(secret);
    expect(timeline).not.toMatch(/xoxe|[0-9]{12}\.[0-9]{13}\.[0-9a-f]{64}/);
  });
});
