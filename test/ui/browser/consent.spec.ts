import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { authorizeUrl, oauthApp } from '../../support/oauth-app.js';

/** The redirect URL of an app, and where the browser was sent. */
async function shop(): Promise<{ url: string; came: string[] }> {
  const came: string[] = [];
  const server = createServer((request, reply) => {
    if (request.url?.startsWith('/callback')) came.push(request.url);
    reply.setHeader('content-type', 'text/html').end('<!doctype html><title>The shop</title><p>Welcome back');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, came };
}

/** docs/reference/installing.md#the-consent-page */
describeInBrowser('the consent page in a browser', (journey) => {
  it('passes axe in light and dark, wide and narrow, and sends back who allows or cancels', async () => {
    const { page, app } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    const alice = await ws.user();
    const { url, came } = await shop();
    const scopes = { bot: ['chat:write', 'commands', 'incoming-webhook', 'users:read'], user: ['search:read'] };
    const client = await oauthApp(app, ws, { ...scopes, redirectUrls: [url] });
    const authorize = authorizeUrl(app, client, { state: 'of the shop' });
    for (const [name, colorScheme, width] of [
      ['wide', 'light', 1_280],
      ['narrow', 'light', 360],
      ['dark', 'dark', 1_280],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(authorize);
      await page.getByRole('heading', { name: /asks for access to Acme/ }).waitFor();
      expect([name, await journey().axe()]).toEqual([name, []]);
      const overflow = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      expect([name, overflow]).toEqual([name, false]);
    }
    await page.goto(authorize);
    await page.emulateMedia({ colorScheme: 'light' });
    await journey().screenshot('consent');
    await page.getByRole('combobox', { name: 'Person' }).selectOption(alice.id);
    await page.getByRole('combobox', { name: 'Channel to post to' }).selectOption(ws.random.id);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Welcome back').waitFor();
    const allowed = new URL(came.at(-1) as string, url).searchParams;
    expect([allowed.get('state'), allowed.get('code')]).toEqual(['of the shop', expect.stringContaining('.')]);
    await page.goto(authorize);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Welcome back').waitFor();
    expect(new URL(came.at(-1) as string, url).searchParams.get('error')).toBe('access_denied');
    await page.goto(authorizeUrl(app, client, { redirect_uri: 'http://evil.example/' })).catch(() => null);
    await page.getByText('bad_redirect_uri').waitFor();
    expect(await journey().axe()).toEqual([]);
    // the app's own pages are elsewhere
    const { faults } = journey();
    const others = faults.filter((fault) => !fault.startsWith(`foreign request: ${url}`));
    faults.splice(0, faults.length, ...others);
  });
});
