import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { BusySandbox } from '../../support/busy-sandbox.js';
import { closeReceivers } from '../../support/receiver.js';

const SOON = { timeout: 45_000 };

/** Every control in the inspector, in apps and in settings has its effect on the server. */
describeInBrowser('controls', (journey) => {
  closeReceivers();

  async function open(path: string): Promise<{ page: Page; busy: BusySandbox; go: (path: string) => Promise<void> }> {
    const { page, app } = journey();
    const busy = await BusySandbox.make(app);
    const at = (next: string) => `/w/${busy.made.team_id}/${next}`;
    await journey().follow(await busy.link(at(path)));
    return { page, busy, go: async (next) => void (await page.goto(`${app.baseUrl}${at(next)}`)) };
  }
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click();
  const item = (page: Page, name: string) => page.getByRole('menuitem', { name }).click();

  it('change faults, limits and the clock', async () => {
    const { page, busy, go } = await open('faults');
    await press(page, '500 twice');
    await page.getByRole('textbox', { name: 'Method' }).fill('users.list');
    await press(page, 'Add');
    const faults = page.getByRole('list', { name: 'Faults' }).getByRole('listitem');
    await faults.filter({ hasText: 'users.list' }).getByText('HTTP 500').waitFor();
    const made = (await busy.control('GET', '/faults')).body.faults.at(-1);
    expect(made).toMatchObject({ on: { method: 'users.list' }, fault: { type: 'http', status: 500 }, times: 2 });
    await faults.filter({ hasText: 'users.list' }).getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => faults.filter({ hasText: 'users.list' }).count(), SOON).toBe(0);

    await go('limits');
    const limits = page.getByRole('region', { name: 'Limits' });
    await limits.getByRole('row').filter({ hasText: 'conversations.history' }).waitFor();
    await limits.getByRole('row').filter({ hasText: 'conversations.history' }).getByRole('button').click();
    await expect.poll(() => limits.getByRole('row').filter({ hasText: 'conversations.history' }).count(), SOON).toBe(0);
    await page.getByRole('textbox', { name: 'Multiplier (0 turns limits off)' }).fill('0.5');
    await press(page, 'Set');
    await expect.poll(async () => (await busy.control('GET', '')).body.rate_limit_multiplier, SOON).toBe(0.5);

    await go('clock');
    await press(page, '+1 h');
    await page.getByText(/1 h ahead|60 min ahead/).waitFor();
    await press(page, 'Freeze');
    await page.getByText('frozen', { exact: true }).waitFor();
    expect((await busy.control('GET', '/clock')).body).toMatchObject({ frozen: true });
  });

  it('release, redeliver and set rules for deliveries', async () => {
    const { page, busy } = await open('deliveries');
    await page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first().waitFor();
    await page.getByText('Hold new deliveries').first().click();
    await expect
      .poll(async () => (await busy.control('GET', '/delivery-rules')).body.delivery_rules, SOON)
      .toMatchObject([{ do: { type: 'hold' } }]);
    await page.getByRole('button', { name: 'Add rule' }).first().click();
    await item(page, 'Sign the next one wrongly');
    await page.getByRole('button', { name: 'bad signature ✕' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'bad signature ✕' }).count(), SOON).toBe(0);

    await page.getByText('Hold new deliveries').first().click();
    await expect.poll(async () => (await busy.control('GET', '/delivery-rules')).body.delivery_rules, SOON).toEqual([]);
    const before = busy.bad.received.length;
    await page.getByRole('tab', { name: /^Retrying/ }).click();
    const row = page
      .getByRole('list', { name: 'Deliveries' })
      .getByRole('listitem')
      .filter({ hasText: 'pager' })
      .last();
    await row.getByRole('button', { name: 'Resend now' }).click();
    await page.getByText(/^Sent again: /).waitFor();
    await busy.bad.until((received) => received.length > before);
    await row.getByRole('button', { expanded: false }).click();
    await row.getByRole('button', { name: /^1 / }).click();
    await row.getByText('database is down').first().waitFor();
  });

  it('change an app’s subscriptions, inboxes, webhooks, tokens and manifest', async () => {
    const { page, busy, go } = await open('apps');
    const app = busy.made.credentials.apps['deploy-bot'].app_id as string;
    await go(`apps/${app}/events`);
    await page.getByRole('textbox', { name: 'Request URL' }).fill(`${busy.good.url}/other`);
    await press(page, 'Subscribe');
    const boxes = page.getByRole('tabpanel').locator('code');
    await boxes.filter({ hasText: `${busy.good.url}/other` }).waitFor();
    await press(page, 'Use an inbox of this server');
    await boxes.filter({ hasText: '/in/' }).waitFor();
    await expect.poll(() => page.getByText('verified', { exact: true }).count(), SOON).toBeGreaterThanOrEqual(2);

    await go(`apps/${app}/webhooks`);
    await page.getByRole('textbox', { name: 'New incoming webhook for' }).fill('#general');
    await press(page, 'Create');
    await press(page, 'Send a test message');
    await page.getByText('Sent.').waitFor();

    await go(`apps/${app}/tokens`);
    await press(page, 'Rotate…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate' }).click();
    const fresh = page.locator('code').filter({ hasText: /^xoxb-\d{12}-/ });
    await fresh.waitFor();
    const token = await fresh.innerText();
    await page.getByText(`xoxb-…${token.slice(-4)}`).waitFor();
    await page.reload();
    await page.getByText(`xoxb-…${token.slice(-4)}`).waitFor();
    expect(await page.content()).not.toContain(token);

    await go(`apps/${app}/manifest`);
    const editor = page.getByRole('textbox', { name: 'Manifest' });
    await editor.waitFor();
    await editor.press('Control+A');
    const changes = page.getByRole('region', { name: 'Changes' });
    await page.keyboard.insertText('{"display_information":{"name":"deploy-bot"},"oauth_config":{"scopes":{"bot":5}}}');
    await changes.getByText('"bot":5').waitFor();
    await press(page, 'Save');
    await page.getByText(/Line 1: .*oauth_config\.scopes\.bot/).waitFor();
    await editor.press('Control+A');
    await page.keyboard.insertText('{"display_information":{"name":"deploy-robot"}}');
    await changes.getByText('deploy-robot').waitFor();
    await press(page, 'Save');
    await page.getByRole('heading', { name: 'deploy-robot' }).waitFor();
  });

  it('change settings and the timeline: users, recording, marks, clearing', async () => {
    const { page, busy, go } = await open('settings/people');
    await page.getByRole('textbox', { name: 'Add a person' }).fill('dora');
    await press(page, 'Add');
    await page.getByRole('listitem').filter({ hasText: '@dora' }).waitFor();

    await go('inspect');
    const grid = page.getByRole('grid', { name: 'Traffic' });
    await grid.getByRole('row').filter({ hasText: 'chat.postMessage' }).first().waitFor();
    await press(page, 'Mark');
    await grid
      .getByRole('row')
      .filter({ hasText: /mark \d\d:/ })
      .waitFor();
    await press(page, 'Clear');
    await expect.poll(() => grid.getByRole('row').count(), SOON).toBeLessThan(4);
    await press(page, 'Undo');
    await grid.getByRole('row').filter({ hasText: 'chat.postMessage' }).first().waitFor();
    await page.getByRole('button', { name: /^Sandbox:/ }).click();
    await item(page, 'Recording');
    await page.getByRole('button', { name: 'Record calls in this workspace' }).waitFor();
    expect((await busy.control('GET', '')).body.journal).toBe(false);
  });
});
