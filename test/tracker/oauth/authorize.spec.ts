import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { consent, errorOf, locationOf, offered, TestBrowser, ticketOf } from '../../support/consent.js';
import { application, authorizeUrl, CALLBACK, codeFor, graphqlBy, redeem } from '../../support/oauth-application.js';

const app = useApp();

/** What the browser is sent back with, without asking anybody. */
async function sentBack(url: string): Promise<Record<string, string>> {
  const answer = await new TestBrowser(app).get(url);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store']);
  const back = locationOf(answer);
  expect(`${back.origin}${back.pathname}`).toBe(CALLBACK);
  return Object.fromEntries(back.searchParams);
}

/** docs/reference/tracker-oauth.md#authorize */
describe('the authorize URL', () => {
  it('shows who asks as a page where the client or its redirect URL is wrong, and never redirects', async () => {
    const org = await app.organization();
    const client = await application(org);
    const fault = async (url: string): Promise<string> => {
      const page = await new TestBrowser(app).get(url);
      expect([page.status, page.headers.get('location')]).toEqual([400, null]);
      return errorOf(page);
    };
    expect(await fault(`${app.baseUrl}/oauth/authorize`)).toBe('invalid_client');
    expect(await fault(authorizeUrl(app, { clientId: 'f'.repeat(32) }))).toBe('invalid_client');
    expect(await fault(authorizeUrl(app, client, { redirect_uri: '' }))).toBe('invalid_redirect_uri');
    expect(await fault(`${authorizeUrl(app, client)}&redirect_uri=https://evil.example/`)).toBe('invalid_redirect_uri');
  });

  it('sends nobody to a URL that is not the registered one, however it is spelled', async () => {
    const org = await app.organization();
    const client = await application(org, { redirectUris: ['https://good.example/oauth/callback'] });
    const evil = [
      'https://good.example.evil.example/oauth/callback',
      'https://good.example@evil.example/oauth/callback',
      'https://evil.example/https://good.example/oauth/callback',
      'https://good.example/oauth/callback/',
      'https://good.example/oauth/callback/deeper',
      'https://good.example/oauth/callback/../../evil',
      'https://good.example/oauth/callback?next=https://evil.example',
      'https://good.example\\@evil.example/oauth/callback',
      'https:\\\\evil.example/oauth/callback',
      '//evil.example/oauth/callback',
      'https://good.example:8443/oauth/callback',
      'http://good.example/oauth/callback',
      'HTTPS://GOOD.EXAMPLE/oauth/callback',
      'https://good.example/oauth/callback#@evil.example',
      'https://good.exa\tmple/oauth/callback',
      'javascript:alert(1)//good.example/oauth/callback',
      ' https://good.example/oauth/callback',
    ];
    for (const uri of evil) {
      const page = await new TestBrowser(app).get(authorizeUrl(app, client, { redirect_uri: uri }));
      expect([uri, page.status, errorOf(page)]).toEqual([uri, 400, 'invalid_redirect_uri']);
    }
  });

  it('tells the application of every other fault, with its state', async () => {
    const org = await app.organization();
    const other = await app.organization();
    const client = await application(org);
    const of = (query: Record<string, string>): Promise<Record<string, string>> =>
      sentBack(authorizeUrl(app, client, { state: 's', ...query }));
    const cases: [Record<string, string>, string][] = [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ actor: 'bot' }, 'invalid_request'],
      [{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S512' }, 'invalid_request'],
      [{ code_challenge: 'short' }, 'invalid_request'],
      [{ organization: 'no-such-organization' }, 'invalid_request'],
      [{ organization: other.urlKey }, 'access_denied'],
    ];
    for (const [query, error] of cases) expect(await of(query)).toMatchObject({ error, state: 's' });
    const scopes: [Record<string, string>, string][] = [
      [{ scope: 'read,offline_access' }, 'Invalid scope: offline_access'],
      [{ scope: 'admin', actor: 'app' }, 'Invalid scope: admin'],
      [{ scope: 'app:assignable' }, 'Invalid scope: app:assignable'],
    ];
    for (const [query, description] of scopes)
      expect(await of(query)).toEqual({ error: 'invalid_scope', error_description: description, state: 's' });
    const long = await sentBack(authorizeUrl(app, client, { state: 'x'.repeat(2_001) }));
    expect(long).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
  });
});

describe('the consent page of an organization', () => {
  it('offers its active people, marks new scopes, and sends a code back with the state as it was sent', async () => {
    const org = await app.organization();
    const member = await org.member();
    const client = await application(org, { name: 'Tidy <Bot>' });
    const page = await new TestBrowser(app).get(authorizeUrl(app, client, { scope: 'write' }));
    expect(page.html).toContain('Tidy &lt;Bot&gt; asks for access');
    expect(page.html).not.toContain('class="new">new');
    expect(offered(page, 'user').sort()).toEqual([org.owner.id, member.user.id].sort());
    const state = 'a b&c=d+é';
    const back = await consent(app, authorizeUrl(app, client, { scope: 'write', state }), { user: member.user.id });
    expect(back.searchParams.get('state')).toBe(state);
    expect(back.searchParams.get('code')).toMatch(/^[0-9a-f]{40}$/);
    await redeem(app, client, back.searchParams.get('code') as string);
    const again = await new TestBrowser(app).get(authorizeUrl(app, client, { scope: 'write,issues:create' }));
    expect(again.html).toContain('<li><code>write</code></li>');
    expect(again.html).toContain('<li><code>issues:create</code><span class="new">new</span></li>');
  });

  it('may not be put into a frame, and puts no token into a URL', async () => {
    const org = await app.organization();
    const client = await application(org);
    const { headers, html } = await new TestBrowser(app).get(authorizeUrl(app, client));
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(html).not.toContain('<script');
    const back = await consent(app, authorizeUrl(app, client), { user: org.owner.id });
    expect([...back.searchParams.keys()]).toEqual(['code']);
    expect(back.hash).toBe('');
  });

  it('tells the application when somebody cancels, and when no admin lets it act as itself', async () => {
    const org = await app.organization();
    const member = await org.member();
    const client = await application(org);
    const denied = await consent(app, authorizeUrl(app, client, { state: 's' }), {
      user: org.owner.id,
      decision: 'deny',
    });
    expect(Object.fromEntries(denied.searchParams)).toMatchObject({ error: 'access_denied', state: 's' });
    const url = authorizeUrl(app, client, { actor: 'app', state: 's' });
    const refused = await consent(app, url, { user: member.user.id });
    expect(Object.fromEntries(refused.searchParams)).toMatchObject({ error: 'access_denied', state: 's' });
    for (const actor of ['app', 'application']) {
      const own = authorizeUrl(app, client, { actor, prompt: 'consent' });
      const code = (await consent(app, own, { user: org.owner.id })).searchParams.get('code') as string;
      const { body } = await redeem(app, client, code);
      expect([actor, (await graphqlBy(app, body.access_token, '{ viewer { app } }')).body.data.viewer]).toEqual([
        actor,
        { app: true },
      ]);
    }
  });

  it('gives a public application to people of other organizations, who have no part in its own', async () => {
    const org = await app.organization();
    const guest = await app.organization();
    const client = await application(org, { distribution: 'public' });
    const query = { organization: guest.urlKey };
    const page = await new TestBrowser(app).get(authorizeUrl(app, client, query));
    expect(offered(page, 'user')).toEqual([guest.owner.id]);
    const made = await redeem(app, client, await codeFor(app, client, guest.owner.id, query));
    expect(made.status).toBe(200);
    const browser = new TestBrowser(app);
    const own = await browser.get(authorizeUrl(app, client));
    const stranger = await browser.post('/oauth/consent', {
      ticket: ticketOf(own),
      user: guest.owner.id,
      decision: 'allow',
    });
    expect([stranger.status, errorOf(stranger)]).toEqual([400, 'user_not_found']);
  });

  it('is answered by its own form alone, once, in the browser that saw it', async () => {
    const org = await app.organization();
    const client = await application(org);
    const browser = new TestBrowser(app);
    const fields = {
      ticket: ticketOf(await browser.get(authorizeUrl(app, client))),
      user: org.owner.id,
      decision: 'allow',
    };
    const refused = async (by: TestBrowser, headers = {}): Promise<unknown> => {
      const answer = await by.post('/oauth/consent', fields, headers);
      return [answer.status, errorOf(answer)];
    };
    expect(await refused(new TestBrowser(app))).toEqual([403, 'bad_ticket']);
    expect(await refused(browser, { origin: 'https://evil.example' })).toEqual([403, 'cross_origin']);
    const both = await Promise.all([browser.post('/oauth/consent', fields), browser.post('/oauth/consent', fields)]);
    expect(both.map(({ status }) => status).sort()).toEqual([302, 403]);
  });
});
