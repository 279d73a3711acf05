import { createServer } from 'node:http';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PACKAGE_ROOT } from '../../../src/kernel/config/package-root.js';
import { describeInBrowser } from '../../support/browser.js';
import { TestSandbox } from '../../support/sandbox.js';
import { smallTargets } from '../../support/targets.js';

const FOLDER = join(PACKAGE_ROOT, 'artifacts', 'ui', 'installing');

/** The redirect URL of an app, and where the browser was sent. */
async function shop(): Promise<{ url: string; came: URLSearchParams[] }> {
  const came: URLSearchParams[] = [];
  const server = createServer((request, reply) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop');
    if (pathname === '/callback') came.push(searchParams);
    reply.setHeader('content-type', 'text/html').end('<!doctype html><title>The shop</title><p>Welcome back');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, came };
}

/** docs/reference/web-ui.md#installing */
describeInBrowser('screens of installing', (journey) => {
  /** What axe and the checks of size find on the open page: light and dark, wide and narrow. */
  async function look(name: string): Promise<string[]> {
    const { page } = journey();
    mkdirSync(FOLDER, { recursive: true });
    const found: string[] = [];
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 1280],
      ['light', 400],
      ['dark', 400],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 800 });
      const at = `${name} ${colorScheme} ${width}`;
      await journey().picture(join(FOLDER, `${name}-${colorScheme}-${width}.png`));
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (wide > width) found.push(`${at}: ${wide - width} px stick out`);
      for (const copy of await page.getByRole('button', { name: /^Copy/ }).all()) {
        const box = await copy.boundingBox();
        if (box && box.x + box.width > width) found.push(`${at}: a button to copy is out of sight`);
      }
      found.push(...(await journey().axe({ again: colorScheme === 'dark' })).map((line) => `${at}: ${line}`));
      found.push(...(await smallTargets(page)).map((line) => `${at}: a small target: ${line}`));
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    return found;
  }

  /** Presses a control as somebody does who has no pointer. */
  const press = async (name: string): Promise<void> => {
    const control = journey().page.getByRole('button', { name, exact: true });
    await control.focus();
    await journey().page.keyboard.press('Enter');
  };

  /** The browser was sent to the app, which is another site. */
  const leftFor = (url: string): void => {
    const { faults } = journey();
    const other = faults.filter((fault) => !fault.startsWith(`foreign request: ${new URL(url).origin}/`));
    faults.splice(0, faults.length, ...other);
  };

  it('install an app by keyboard, show where it is and what was granted, and take it out again', async () => {
    const { page, app } = journey();
    const { url, came } = await shop();
    const box = await TestSandbox.make(app);
    const scopes = { bot: ['chat:write', 'incoming-webhook'], user: ['search:read'] };
    const manifest = { display_information: { name: 'pager' }, oauth_config: { redirect_urls: [url], scopes } };
    const registered = await box.send('POST', '/api/apps', box.person, { manifest, install: false });
    const { id, client_id: clientId, credentials } = registered.body;
    const before = credentials.client_secret as string;
    await journey().enter(box, { to: `/w/${box.made.team.id}/apps/${id}/install` });
    await page.getByText('It is installed nowhere.').waitFor();
    await page.getByText(clientId, { exact: true }).waitFor();
    await page.getByText(url, { exact: true }).waitFor();
    const found = await look('before');

    await press('Install…');
    const dialog = page.getByRole('dialog', { name: 'Install pager in Sandbox' });
    expect(await dialog.getByRole('textbox', { name: 'Bot scopes' }).inputValue()).toBe('chat:write, incoming-webhook');
    await dialog.getByRole('textbox', { name: 'User scopes' }).fill('no:such');
    await dialog.getByRole('combobox', { name: 'Channel to post to' }).selectOption({ label: '#war-room' });
    found.push(...(await look('dialog')));
    await press('Allow');
    await dialog.getByRole('alert').filter({ hasText: 'no scope that an app can ask for' }).waitFor();
    await dialog.getByRole('textbox', { name: 'User scopes' }).fill('search:read');
    await press('Allow');
    await page.getByText('Welcome back').waitFor();
    leftFor(url);
    const redeem = (secret: string) =>
      box.call('oauth.v2.access', { client_id: clientId, client_secret: secret, code: came[0]?.get('code') }, {});
    expect((await redeem(before)).body).toMatchObject({ ok: true, incoming_webhook: { channel: '#war-room' } });

    await page.goto(`${app.baseUrl}/w/${box.made.team.id}/apps/${id}/install`);
    const row = page.getByRole('list', { name: 'Installations' }).getByRole('listitem').filter({ hasText: 'Sandbox' });
    await row.getByText('search:read', { exact: true }).waitFor();
    await row.getByText('incoming-webhook', { exact: true }).waitFor();
    found.push(...(await look('installed')));

    await press('Rotate client secret…');
    await press('Rotate');
    const secret = page.locator('code').filter({ hasText: /^[0-9a-f]{32}$/ });
    expect(await secret.innerText()).not.toBe(before);
    expect((await redeem(before)).body.error).toBe('bad_client_secret');
    expect((await redeem(await secret.innerText())).body.error).toBe('code_already_used');

    const distributed = page.getByRole('switch', { name: /^Distributed/ });
    await distributed.focus();
    await page.keyboard.press('Space');
    await page.getByText('Other workspaces may install it.').waitFor();
    await expect.poll(() => distributed.isChecked(), { timeout: 15_000 }).toBe(true);
    await page.getByRole('switch', { name: 'Token rotation' }).focus();
    await page.keyboard.press('Space');
    await press('Turn on');
    const rotation = page.getByRole('switch', { name: 'Token rotation (stays on)' });
    await rotation.waitFor();
    expect(await rotation.isDisabled()).toBe(true);

    await press('Uninstall…');
    await press('Uninstall');
    await page.getByText('It is installed nowhere.').waitFor();
    const { body } = await box.send('GET', `/api/apps/${id}`, box.person);
    expect(body).toMatchObject({ installed: false, distributed: true });
    expect(found).toEqual([]);
  });

  it('register an application of the tracker, authorize it, change it and revoke it', async () => {
    const { page, app } = journey();
    const { url, came } = await shop();
    const box = await TestSandbox.make(app);
    await journey().enter(box, { to: `/w/${box.made.team.id}/settings/oauth-applications` });
    const list = page.getByRole('list', { name: 'OAuth applications' });
    await list.getByRole('link', { name: 'default-app' }).waitFor();
    const found = await look('applications');

    await press('New application');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Triage');
    await dialog.getByRole('textbox', { name: 'Redirect URLs' }).fill('not a url');
    await dialog.getByRole('textbox', { name: 'Webhook URL' }).fill(url);
    await dialog.getByRole('checkbox', { name: 'Issue', exact: true }).focus();
    await page.keyboard.press('Space');
    found.push(...(await look('application-form')));
    await press('Create');
    await dialog.getByRole('alert').filter({ hasText: 'must be redirect URLs' }).waitFor();
    await dialog.getByRole('textbox', { name: 'Redirect URLs' }).fill(url);
    await press('Create');
    await page.getByRole('heading', { name: 'Triage is registered' }).waitFor();
    const secret = await dialog
      .locator('code')
      .filter({ hasText: /^[0-9a-f]{64}$/ })
      .innerText();
    const clientId = await dialog
      .locator('code')
      .filter({ hasText: /^[0-9a-f]{32}$/ })
      .innerText();
    await dialog
      .locator('code')
      .filter({ hasText: /^svc_wh_/ })
      .waitFor();
    await press('Done');
    await page.getByRole('heading', { name: 'Triage' }).waitFor();
    await page.getByText('Nobody in this organization.').waitFor();
    expect(await page.content()).not.toContain(secret);

    await press('Authorize…');
    await page.getByRole('combobox', { name: 'Actor' }).selectOption('app');
    await page.getByRole('checkbox', { name: 'app:assignable' }).check();
    found.push(...(await look('authorize')));
    await press('Go to the consent page');
    await page.getByRole('heading', { name: /^Triage asks for access/ }).waitFor();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Welcome back').waitFor();
    leftFor(url);
    const code = came[0]?.get('code') ?? '';
    const redeem = (clientSecret: string): Promise<Response> =>
      fetch(`${app.baseUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          redirect_uri: url,
          client_id: clientId,
          client_secret: clientSecret,
        }),
      });
    const tokens = (await (await redeem(secret)).json()) as { access_token: string };
    const viewer = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      return (await box.send('POST', '/graphql', headers, { query: '{ viewer { id app } }' })).status;
    };
    expect(await viewer()).toBe(200);

    await page.goto(`${app.baseUrl}/w/${box.made.team.id}/settings/oauth-applications`);
    await list.getByRole('link', { name: 'Triage' }).click();
    const authorized = page.getByRole('list', { name: 'Authorizations' });
    await authorized.getByText('app:assignable, read, write').waitFor();
    found.push(...(await look('application')));
    await press('Edit…');
    await page.getByRole('switch', { name: /^Public/ }).focus();
    await page.keyboard.press('Space');
    await press('Save');
    await page.getByText('public', { exact: true }).waitFor();
    await press('Rotate client secret…');
    await press('Rotate');
    const fresh = page.locator('code').filter({ hasText: /^[0-9a-f]{64}$/ });
    expect(await fresh.innerText()).not.toBe(secret);
    expect((await redeem(secret)).status).toBe(401);
    await press('Revoke access…');
    await press('Revoke');
    await page.getByText('Nobody in this organization.').waitFor();
    expect(await viewer()).toBe(401);
    await press('Delete…');
    await press('Delete');
    await list.waitFor();
    await list.getByRole('link', { name: 'Triage' }).waitFor({ state: 'detached' });
    expect(found).toEqual([]);
  });

  it('hand out a configuration token, with which an app is registered', async () => {
    const { page } = journey();
    const box = await TestSandbox.make(journey().app);
    await page.setViewportSize({ width: 400, height: 800 });
    await journey().enter(box, { to: `/w/${box.made.team.id}/settings/configuration-tokens` });
    const tab = page.getByRole('tab', { name: 'Configuration tokens', selected: true });
    await tab.waitFor();
    const sight = async (): Promise<boolean> => {
      const { x, width } = (await tab.boundingBox()) ?? { x: -1, width: 0 };
      return x >= 0 && x + width <= 400;
    };
    await expect.poll(sight, { message: 'the selected tab is in sight' }).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('combobox', { name: 'In the name of' }).selectOption({ label: 'alice' });
    await press('New configuration token');
    const token = await page
      .locator('code')
      .filter({ hasText: /^xoxe\.xoxp-1-/ })
      .innerText();
    await page
      .locator('code')
      .filter({ hasText: /^xoxe-1-/ })
      .waitFor();
    const found = await look('configuration-tokens');
    const manifest = { display_information: { name: 'made by a program' } };
    const made = await box.call('apps.manifest.create', { manifest }, { authorization: `Bearer ${token}` });
    expect(made.body).toMatchObject({ ok: true, app_id: expect.any(String) });
    await page.reload();
    await page.getByRole('button', { name: 'New configuration token' }).waitFor();
    expect(await page.content()).not.toContain(token);
    expect(found).toEqual([]);
  });
});
