import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { useApp, type TestApp } from '../../support/app.js';
import { errorOf, ticketOf } from '../../support/consent.js';
import { oauthApp, REDIRECT } from '../../support/oauth-app.js';
import { application, CALLBACK } from '../../support/oauth-application.js';

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
});
