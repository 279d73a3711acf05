import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';

const SOON = { timeout: 45_000 };

describeInBrowser('habits', (journey) => {
  it('of who writes: Enter breaks lines and Shift Enter sends, where one chose so', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    await journey().signIn(ws, { to: `/w/${ws.id}/settings/preferences` });
    await page.getByText('Enter sends; Shift Enter begins a new line').click();
    await page.reload();
    expect(await page.getByRole('switch', { name: /^Enter sends/ }).isChecked()).toBe(false);
    await journey().go(`/w/${ws.id}/c/${ws.general.id}`);
    const composer = page.getByRole('textbox', { name: 'Message #general' });
    await composer.fill('first');
    await composer.press('Enter');
    await composer.pressSequentially('second');
    expect(await composer.inputValue()).toBe('first\nsecond');
    await composer.press('Shift+Enter');
    await expect.poll(() => composer.inputValue(), SOON).toBe('');
    await page
      .getByRole('listitem')
      .filter({ hasText: /first\s*second/ })
      .waitFor();
  });

  it('of who reads: results stand where they were left, and a line says what is new in each conversation', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const alice = await ws.user({ name: 'alice' });
    const other = await ws.channel({ name: 'deploys', members: [ws.admin, alice] });
    for (let n = 0; n < 40; n++) await ws.message({ channel: ws.general, user: alice, text: `needle ${n}` });
    await ws.message({ channel: other, user: alice, text: 'seen before' });
    await journey().signIn(ws, { to: `/w/${ws.id}/search?q=needle&sort=timestamp` });
    const results = page.getByRole('list', { name: 'Found messages' });
    await results.getByRole('listitem').nth(39).waitFor();
    const scrolled = () => page.evaluate<number>(`document.getElementById('main').scrollTop`);
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, 700);
    await expect.poll(scrolled, SOON).toBe(700);
    await results
      .getByRole('link', { name: /#general/ })
      .nth(15)
      .click();
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();

    const list = page.getByRole('list', { name: 'Messages' });
    const sidebar = page.getByRole('navigation', { name: 'Conversations' });
    await sidebar.getByRole('link', { name: /deploys/ }).click();
    await list.getByText('seen before').waitFor();
    await sidebar.getByRole('link', { name: /general/ }).click();
    await list.getByText('needle 39', { exact: true }).waitFor();
    await ws.message({ channel: other, user: alice, text: 'not seen yet' });
    await sidebar.getByRole('link', { name: /deploys/ }).click();
    const fresh = list.getByRole('listitem').filter({ hasText: 'not seen yet' });
    await fresh.getByText('New', { exact: true }).waitFor();
    expect(await list.getByText('New', { exact: true }).count()).toBe(1);
    await sidebar.getByRole('link', { name: /general/ }).click();
    await list.getByText('needle 39', { exact: true }).waitFor();
    expect(await list.getByText('New', { exact: true }).count()).toBe(0);

    for (let steps = 0; steps < 5; steps++) {
      const before = page.url();
      await page.goBack();
      await expect.poll(() => page.url(), SOON).not.toBe(before);
      if (page.url().includes('/search')) break;
    }
    await results.getByRole('listitem').nth(39).waitFor();
    await expect.poll(scrolled, SOON).toBe(700);
  });
});
