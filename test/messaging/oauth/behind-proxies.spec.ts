import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../../support/app.js';
import { TestBrowser } from '../../support/consent.js';
import { authorizeUrl, oauthApp } from '../../support/oauth-app.js';

const start = (env: Record<string, string>): Promise<TestApp> =>
  TestApp.start({
    SVC_PUBLIC_URL: 'https://qa.example/understudy',
    // on a shared store this server would take deliveries of other specs
    DATABASE_URL: '',
    SVC_DATA_DIR: 'memory',
    ...env,
  });

/** docs/reference/installing.md#the-consent-page */
describe('the consent page behind proxies', () => {
  let open: TestApp;
  let proxied: TestApp;
  beforeAll(async () => {
    [open, proxied] = await Promise.all([start({}), start({ SVC_TRUSTED_PROXIES: '127.0.0.1' })]);
  });
  afterAll(() => Promise.all([open.stop(), proxied.stop()]));

  /** The form's path and the cookie's end, for a browser that says which host it asked for. */
  async function shown(app: TestApp, headers: Record<string, string>): Promise<unknown[]> {
    const client = await oauthApp(app, await app.workspace());
    const page = await new TestBrowser(app).get(authorizeUrl(app, client), headers);
    return [
      /action="([^"]*)"/.exec(page.html)?.[1],
      /Path=.*$/.exec(page.headers.get('set-cookie') ?? '')?.[0].replace(' Max-Age=3600', ''),
    ];
  }

  it('believes a forwarded host of the proxies that the settings name, and of nobody else', async () => {
    const forged = { 'x-forwarded-host': 'qa.example', 'x-forwarded-proto': 'https' };
    expect(await shown(open, forged)).toEqual(['/oauth/consent', 'Path=/oauth;']);
    expect(await shown(proxied, {})).toEqual(['/oauth/consent', 'Path=/oauth;']);
    expect(await shown(proxied, forged)).toEqual(['/understudy/oauth/consent', 'Path=/understudy/oauth;; Secure']);
  });
});
