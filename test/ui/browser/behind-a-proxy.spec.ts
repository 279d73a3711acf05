import { expect, it } from 'vitest';
import { TestApp } from '../../support/app.js';
import { describeInBrowser } from '../../support/browser.js';
import { PrefixProxy } from '../../support/prefix-proxy.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

describeInBrowser(
  'behind a proxy',
  (journey) => {
    it('shows the sections below a path and over https; session and socket work', async () => {
      const { baseUrl, app } = journey();
      const ws = await app.workspace({ name: 'Acme' });
      const bot = await ws.bot();
      const page = await journey().newPage(await journey().newContext({ ignoreHTTPSErrors: true }));
      await journey().follow(await journey().link(ws), page);
      const composer = page.getByRole('textbox', { name: 'Message #general' });
      await composer.waitFor();
      expect(page.url()).toBe(`${baseUrl}/w/${ws.id}/c/${ws.general.id}`);
      const [cookie] = await page.context().cookies(`${baseUrl}/api/ui/session`);
      expect(cookie).toMatchObject({ secure: true, path: '/understudy/api/ui/session', sameSite: 'Strict' });
      await bot.call('chat.postMessage', { channel: ws.general.id, text: 'through the proxy' });
      await page.getByRole('listitem').filter({ hasText: 'through the proxy' }).waitFor();
      await composer.fill('and back');
      await composer.press('Enter');
      await page.getByRole('listitem').filter({ hasText: 'and back' }).waitFor();
      await expect.poll(() => page.getByText('sending…').count(), SOON).toBe(0);
      const sections = page.getByRole('navigation', { name: 'Sections' });
      for (const [name, path] of [
        ['Inspector', 'inspect'],
        ['Apps', 'apps'],
        ['Settings', 'settings'],
      ] as const) {
        await sections.getByRole('link', { name }).click();
        await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
        expect(page.url()).toContain(`${baseUrl}/w/${ws.id}/${path}`);
      }
      await page.reload();
      await sections.getByRole('link', { name: 'Chat' }).click();
      await page.getByRole('listitem').filter({ hasText: 'through the proxy' }).waitFor();
      // permalinks of the API open the web UI
      const { messages } = await bot.call('conversations.history', { channel: ws.general.id, limit: 10 });
      const { ts } = (messages as { ts: string; text: string }[]).find(({ text }) => text === 'and back') as {
        ts: string;
      };
      await page.goto(`${baseUrl}/archives/${ws.general.id}/p${ts.replace('.', '')}`);
      await page.locator(`[data-ts="${ts}"]`).waitFor();
      expect(page.url()).toBe(`${baseUrl}/w/${ws.id}/c/${ws.general.id}?at=${ts}`);
    });
  },
  async () => {
    const proxy = await PrefixProxy.start();
    const app = await TestApp.start({
      SVC_MODE: 'full',
      SVC_METHODS: 'all',
      SVC_PUBLIC_URL: proxy.baseUrl,
      SVC_TRUSTED_PROXIES: '127.0.0.1',
    });
    proxy.to(app.baseUrl);
    return {
      app,
      baseUrl: proxy.baseUrl,
      stop: async () => {
        await proxy.stop();
        await app.stop();
      },
    };
  },
);
