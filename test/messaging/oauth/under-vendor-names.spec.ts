import { request } from 'node:http';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { useApp, type TestApp } from '../../support/app.js';
import { consent, errorOf, ticketOf } from '../../support/consent.js';
import { authorizeUrl, codeFor, oauthApp, REDIRECT, type OauthApp } from '../../support/oauth-app.js';
import { application, CALLBACK, codeFor as trackerCode } from '../../support/oauth-application.js';

interface Page {
  readonly status: number | undefined;
  readonly headers: Headers;
  readonly html: string;
}

/** A request under a vendor's host, by its `Host` or by the header of a proxy. */
const ask = (
  app: TestApp,
  path: string,
  headers: Record<string, string>,
  fields?: Record<string, string>,
): Promise<Page & { status: number }> =>
  new Promise((resolve, reject) => {
    const method = fields ? 'POST' : 'GET';
    const form = fields ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
    const call = request(`${app.baseUrl}${path}`, { method, headers: { accept: 'text/html', ...form, ...headers } });
    call.on('response', (response) => {
      let html = '';
      response.setEncoding('utf8').on('data', (part: string) => (html += part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(response.headers as Record<string, string>),
          html,
        }),
      );
    });
    call.on('error', reject).end(fields && new URLSearchParams(fields).toString());
  });

/** A code of somebody who signs in to an app. */
async function signInCode(app: TestApp, client: OauthApp, user: string): Promise<string> {
  const url = authorizeUrl(app, client, { response_type: 'code', scope: 'openid' }, 'openid/connect/authorize');
  return (await consent(app, url, { user })).searchParams.get('code') ?? '';
}

/** docs/reference/installing.md#the-consent-page */
describe.each(['host', 'x-understudy-host'])('consent under a vendor’s name, by %s', (by) => {
  const app = useApp();

  it.each(['slack.com', 'linear.app'])('is given at %s by its own page alone', async (vendor) => {
    const ws = await app.workspace();
    const org = await app.organization();
    const [path, clientId, user, to] =
      vendor === 'slack.com'
        ? ['/oauth/v2/authorize', (await oauthApp(app, ws)).clientId, ws.admin.id, REDIRECT]
        : ['/oauth/authorize', (await application(org)).clientId, org.owner.id, CALLBACK];
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: to, response_type: 'code', state: 's 1' });
    const page = await ask(app, `${path}?${query.toString()}`, { [by]: vendor });
    expect([page.status, page.html.includes('action="/oauth/consent"')], page.html).toEqual([200, true]);
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const cookie = page.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^svc_consent_[0-9a-f]{8}=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/oauth; Max-Age=3600; Secure$/,
    );

    const decide = (headers: Record<string, string>) =>
      ask(
        app,
        '/oauth/consent',
        { [by]: vendor, cookie: cookie.split(';', 1)[0] ?? '', 'sec-fetch-site': 'same-origin', ...headers },
        { ticket: ticketOf(page), decision: 'allow', user },
      );
    for (const origin of [`http://${vendor}`, app.baseUrl, 'https://evil.example', `https://${vendor}.evil.example`]) {
      const refused = await decide({ origin });
      expect([origin, refused.status, errorOf(refused)]).toEqual([origin, 403, 'cross_origin']);
    }
    const decided = await decide({ origin: `https://${vendor}` });
    expect(decided.status, decided.html).toBe(302);
    const sent = new URL(decided.headers.get('location') ?? '');
    expect([sent.origin + sent.pathname, sent.searchParams.get('state')]).toEqual([to, 's 1']);
    expect(sent.searchParams.get('code')).toBeTruthy();
  });

  it('signs people in at slack.com by what is published there, and redeems at the hosts of the methods', async () => {
    const ws = await app.workspace();
    const client = await oauthApp(app, ws);
    const get = async (path: string, host = 'slack.com') => {
      const { status, html } = await ask(app, path, { [by]: host, accept: 'application/json' });
      return { status, body: JSON.parse(html) };
    };
    const discovery = await get('/.well-known/openid-configuration');
    expect(discovery.body).toMatchObject({
      issuer: 'https://slack.com',
      authorization_endpoint: 'https://slack.com/openid/connect/authorize',
      token_endpoint: 'https://slack.com/api/openid.connect.token',
      userinfo_endpoint: 'https://slack.com/api/openid.connect.userInfo',
      jwks_uri: 'https://slack.com/openid/connect/keys',
    });
    for (const host of ['www.slack.com', 'linear.app', 'api.linear.app'])
      expect([host, (await get('/.well-known/openid-configuration', host)).status]).toEqual([host, 404]);
    const keys = await get(new URL(discovery.body.jwks_uri).pathname);
    const fields = { client_id: client.clientId, client_secret: client.clientSecret };
    const post = async (path: string, host: string, sent: Record<string, string>) => {
      const { status, html } = await ask(app, path, { [by]: host, accept: 'application/json' }, sent);
      return { status, body: JSON.parse(html) };
    };
    const code = await signInCode(app, client, ws.admin.id);
    const signedIn = await post('/api/openid.connect.token', 'slack.com', { ...fields, code });
    const verified = await jwtVerify(signedIn.body.id_token, createLocalJWKSet(keys.body), {
      issuer: 'https://slack.com',
      audience: client.clientId,
    });
    expect(verified.payload.sub).toBe(ws.admin.id);
    const installed = await codeFor(app, client, ws.admin.id);
    expect((await post('/api/oauth.v2.access', 'api.slack.com', { ...fields, code: installed })).body).toMatchObject({
      ok: true,
      app_id: client.id,
    });
    const org = await app.organization();
    const tracked = await application(org);
    const made = await post('/oauth/token', 'api.linear.app', {
      grant_type: 'authorization_code',
      code: await trackerCode(app, tracked, org.owner.id),
      redirect_uri: CALLBACK,
      client_id: tracked.clientId,
      client_secret: tracked.clientSecret,
    });
    expect([made.status, made.body.token_type]).toEqual([200, 'Bearer']);
    const revoked = await post('/oauth/revoke', 'api.linear.app', { token: made.body.access_token });
    expect([revoked.status, revoked.body]).toEqual([200, {}]);
  });
});
