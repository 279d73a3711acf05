import { WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

const MANIFEST = `display_information:
  name: pager
features:
  bot_user:
    display_name: pager
oauth_config:
  scopes:
    bot: SCOPES
`;

describeInBrowser('apps', (journey) => {
  it('creates an app from a manifest; its token works at once, and is never shown again', async () => {
    const { page, app, context } = journey();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const ws = await app.workspace({ name: 'Acme' });
    await journey().signIn(ws);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Apps' }).click();
    await page.getByRole('button', { name: 'New app' }).click();
    const dialog = page.getByRole('dialog');
    const editor = dialog.getByRole('textbox', { name: 'Manifest' });
    const paste = async (scopes: string): Promise<void> => {
      await editor.press('Control+A');
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(MANIFEST.replace('SCOPES', scopes))})`);
      await page.keyboard.press('Control+V');
    };
    await paste('chat:write');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: /^Line 8: .*oauth_config\.scopes\.bot/ })
      .waitFor();
    await paste('[chat:write, chat:write.public');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: /^Line \d+: / })
      .waitFor();
    await paste('[chat:write, chat:write.public]');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'pager is ready' }).waitFor();
    await dialog.getByRole('button', { name: 'Copy bot token' }).click();
    const token = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(token).toMatch(/^xoxb-\d{12}-\w{24}$/);
    for (const [tab, part] of [
      ['Node', 'slackApiUrl'],
      ['Python', 'base_url'],
      ['curl', 'Authorization: Bearer'],
      ['.env', 'SLACK_BOT_TOKEN='],
    ] as const) {
      await dialog.getByRole('tab', { name: tab, exact: true }).click();
      const snippet = dialog.getByRole('tabpanel').locator('code, pre').filter({ hasText: part }).first();
      expect(await snippet.innerText()).toContain(token);
    }
    await journey().screenshot('9-new-app');
    const client = (bearer: string) =>
      new WebClient(bearer, { slackApiUrl: `${app.baseUrl}/api/`, retryConfig: { retries: 0 } });
    expect((await client(token).chat.postMessage({ channel: '#general', text: 'I am new here' })).ok).toBe(true);

    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { level: 1, name: 'pager' }).waitFor();
    await page.getByRole('tab', { name: 'Tokens' }).click();
    await page.getByText(`xoxb-…${token.slice(-4)}`).waitFor();
    await page.getByRole('button', { name: 'Rotate…' }).first().click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate' }).click();
    const fresh = page.locator('code').filter({ hasText: /^xoxb-\d{12}-/ });
    await fresh.waitFor();
    const rotated = await fresh.innerText();
    await expect(client(token).auth.test()).rejects.toMatchObject({ data: { error: 'token_revoked' } });
    expect((await client(rotated).auth.test()).ok).toBe(true);
    await page.reload();
    await page.getByText(`xoxb-…${rotated.slice(-4)}`).waitFor();
    expect(await page.content()).not.toContain(rotated);
  });

  it('reload the page once when a script is gone after an upgrade, and then show an error', async () => {
    const { page, app, context } = journey();
    const ws = await app.workspace();
    await journey().signIn(ws);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await context.route('**/assets/apps-page-*.js', (route) => route.fulfill({ status: 404, body: '' }));
    let loads = 0;
    page.on('load', () => loads++);
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Apps' }).click();
    await page.getByText('This part of the page cannot be shown').waitFor();
    expect(loads).toBe(1);
    // the rest of the page still works
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Chat' }).click();
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await context.unroute('**/assets/apps-page-*.js');
    await page.goto(`${app.baseUrl}/w/${ws.id}/apps`);
    await page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
    await expect.poll(() => page.getByText('This part of the page cannot be shown').count(), SOON).toBe(0);
  });
});
