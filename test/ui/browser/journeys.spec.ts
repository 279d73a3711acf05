import { WebClient } from '@slack/web-api';
import type { Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

describeInBrowser('journeys', (journey) => {
  it('the printed link signs in, cleans the address and focuses the composer', async () => {
    const { page, app } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    const link = await journey().link(ws);
    await page.goto(link);
    const composer = page.getByRole('textbox', { name: 'Message #general' });
    await composer.waitFor();
    expect(page.url()).toMatch(new RegExp(`/w/${ws.id}/c/${ws.general.id}$`));
    await expect
      .poll(() => page.evaluate(`document.activeElement?.getAttribute('aria-label')`), SOON)
      .toBe('Message #general');
    await expect.poll(() => page.title(), SOON).toBe('#general · Acme · Understudy');
    const [cookie] = await journey().context.cookies(`${app.baseUrl}/api/ui/session`);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/api/ui/session' });
    const stored = await page.evaluate<string[]>(`Object.keys(localStorage).map((key) => key.split(':')[0])`);
    expect(new Set(stored)).toEqual(
      new Set([...stored].filter((key) => ['theme', 'pane', 'last', 'marks', 'draft', 'presets'].includes(key))),
    );
    for (const name of ['Sections', 'Conversations']) await page.getByRole('navigation', { name }).waitFor();
    expect(await journey().axe()).toEqual([]);

    const second = await journey().newPage(await journey().newContext());
    await second.goto(link);
    await second.getByText('This link was used already').waitFor();
    await journey().screenshot('1-first-look');
  });

  it('a link that is followed while another one still signs in wins', async () => {
    const { page, app } = journey();
    const [one, other] = [await app.workspace({ name: 'One' }), await app.workspace({ name: 'Other' })];
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const hold = async (route: Route): Promise<void> => {
      await released;
      await route.continue();
    };
    await page.route('**/api/ui/session/link', hold, { times: 1 });
    await page.goto(await journey().link(one));
    // to the browser it is the same page with another hash
    await page.goto(await journey().link(other, { to: `/w/${other.id}/apps` }));
    release();
    await page.getByRole('button', { name: 'Workspace: Other' }).waitFor();
    await expect.poll(() => page.url(), SOON).toMatch(new RegExp(`/w/${other.id}/apps$`));
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('a message of an app appears in the channel at once', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const bot = await ws.bot();
    await ws.join(ws.general, bot);
    await journey().signIn(ws);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    const client = new WebClient(bot.token, { slackApiUrl: `${app.baseUrl}/api/` });
    await client.chat.postMessage({ channel: ws.general.id, text: 'deployed *v42* :tada:' });
    const message = page.getByRole('list', { name: 'Messages' }).getByRole('listitem').filter({ hasText: 'deployed' });
    await message.waitFor();
    expect(await message.locator('strong').innerText()).toBe('v42');
    expect(await page.content()).not.toContain(bot.token);
    await journey().screenshot('2-app-message');
  });

  it('mentions are stored as ids, fast posts appear once and in order, threads count replies', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const bob = await ws.user({ name: 'bob' });
    await ws.join(ws.general, bob);
    await journey().signIn(ws);
    const composer = page.getByRole('textbox', { name: 'Message #general' });
    await composer.waitFor();
    await composer.fill('hi @bob');
    await composer.press('Escape');
    await composer.press('Enter');
    for (let i = 0; i < 20; i++) {
      await composer.fill(`post ${i}`);
      await composer.press('Enter');
    }
    const bot = await ws.bot();
    await ws.join(ws.general, bot);
    const texts = async (): Promise<string[]> => {
      const history = await bot.call('conversations.history', { channel: ws.general.id, limit: 50 });
      return (history['messages'] as { text: string; subtype?: string }[])
        .filter((one) => !one.subtype)
        .map((one) => one.text)
        .reverse();
    };
    await expect.poll(async () => (await texts()).length, SOON).toBe(21);
    expect(await texts()).toEqual([`hi <@${bob.id}>`, ...Array.from({ length: 20 }, (_, i) => `post ${i}`)]);
    const items = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    await expect.poll(() => items.filter({ hasText: /post 19/ }).count(), SOON).toBe(1);

    await items
      .filter({ hasText: /post 19/ })
      .getByRole('article')
      .hover();
    await items
      .filter({ hasText: /post 19/ })
      .getByRole('button', { name: 'Reply in thread' })
      .click();
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByRole('textbox', { name: 'Reply…' }).fill('a reply');
    await thread.getByRole('button', { name: 'Send' }).click();
    await items.filter({ hasText: '1 reply' }).first().waitFor();
    expect(await journey().axe()).toEqual([]);
    await journey().screenshot('3-talk');
  });

  it('completion works by keyboard; an unknown command can be sent nevertheless', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    await ws.user({ name: 'maximiliana' });
    await journey().signIn(ws);
    const composer = page.getByRole('textbox', { name: 'Message #general' });
    await composer.waitFor();
    await composer.pressSequentially('@max');
    await page.getByRole('option').first().waitFor();
    await composer.press('Tab');
    expect(await composer.inputValue()).toBe('@maximiliana ');
    await composer.fill('/nothing here');
    await composer.press('Enter');
    await page.getByText('No app here has /nothing. Send it as a message?').waitFor();
    await page.getByRole('button', { name: 'Send as message' }).click();
    await page.getByRole('listitem').filter({ hasText: '/nothing here' }).waitFor();
  });

  it('edits, reactions and deletions work', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    await journey().signIn(ws);
    const composer = page.getByRole('textbox', { name: 'Message #general' });
    await composer.waitFor();
    await composer.fill('first');
    await composer.press('Enter');
    const items = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    await items.filter({ hasText: 'first' }).waitFor();
    await expect.poll(() => page.getByText('sending…').count(), SOON).toBe(0);
    await composer.press('ArrowUp');
    await page.getByRole('textbox', { name: 'Edit message' }).fill('second');
    await page.getByRole('textbox', { name: 'Edit message' }).press('Enter');
    const message = items.filter({ hasText: 'second' });
    await message.getByText('(edited)').waitFor();
    await message.getByRole('article').hover();
    await message.getByRole('button', { name: 'React' }).click();
    await page
      .getByRole('dialog', { name: 'Emoji' })
      .getByRole('button', { name: 'tada', exact: true })
      .first()
      .click();
    await message.getByRole('button', { name: 'tada, 1' }).waitFor();
    await message.getByRole('article').hover();
    await message.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete message…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => message.count(), SOON).toBe(0);
  });

  it('every screen of an empty workspace passes axe, light and dark', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    await journey().signIn(ws);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    const found: string[] = [];
    for (const path of ['inspect', 'deliveries', 'faults', 'limits', 'clock', 'apps', 'settings', 'search?q=x']) {
      await journey().go(`/w/${ws.id}/${path}`);
      await page.getByRole('main').waitFor();
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const again = colorScheme === 'dark';
        found.push(...(await journey().axe({ again })).map((line) => `${path}, ${colorScheme}: ${line}`));
      }
    }
    expect(found).toEqual([]);
  });
});
