import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import type { TestChannel } from '../../support/workspace.js';

const SOON = { timeout: 45_000 };

// docs/reference/web-ui.md
describeInBrowser('switching between conversations', (journey) => {
  it('shows new messages, keeps each draft in its conversation, and keeps at most three lists in the page', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const alice = await ws.user({ name: 'alice' });
    const names = ['one', 'two', 'three', 'four'];
    const channels = await Promise.all(names.map((name) => ws.channel({ name, members: [ws.admin, alice] })));
    for (const [index, channel] of channels.entries())
      for (let n = 0; n < 30; n++) await ws.message({ channel, user: alice, text: `${names[index]} ${n}` });
    const sidebar = page.getByRole('navigation', { name: 'Conversations' });
    const messages = page.getByRole('list', { name: 'Messages' });
    const go = async (name: string): Promise<void> => {
      await sidebar.getByRole('link', { name: new RegExp(`^${name}`) }).click();
      await page.getByRole('textbox', { name: `Message #${name}` }).waitFor();
    };
    const newest = (text: string) => messages.getByText(text, { exact: true });
    await journey().signIn(ws, { to: `/w/${ws.id}/c/${channels[0]?.id}` });
    await newest('one 29').waitFor();
    await page.getByRole('textbox', { name: 'Message #one' }).fill('a draft for one');

    await go('two');
    await newest('two 29').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message #two' }).inputValue()).toBe('');
    expect(await messages.count()).toBe(1);
    await page.getByRole('textbox', { name: 'Message #two' }).fill('a draft for two');
    await ws.message({ channel: channels[0] as TestChannel, user: alice, text: 'heard meanwhile' });
    await sidebar.getByRole('link', { name: /1 unread/ }).waitFor();

    await go('one');
    await newest('heard meanwhile').waitFor();
    expect(await newest('heard meanwhile').isVisible()).toBe(true);
    await expect
      .poll(
        () =>
          page.evaluate(
            `(() => { const list = [...document.querySelectorAll('[aria-label="Messages"]')].find((one) => one.checkVisibility());
              const { scrollHeight, scrollTop, clientHeight } = list.parentElement;
              return scrollHeight - scrollTop - clientHeight < 2; })()`,
          ),
        SOON,
      )
      .toBe(true);
    expect(await page.getByRole('textbox', { name: 'Message #one' }).inputValue()).toBe('a draft for one');

    for (const name of ['two', 'three', 'four']) {
      await go(name);
      await newest(`${name} 29`).waitFor();
      expect(await messages.count()).toBe(1);
      expect(await page.evaluate(`document.querySelectorAll('[aria-label="Messages"]').length`)).toBeLessThanOrEqual(3);
    }
    // hidden lists cannot be reached by keyboard and are not read out
    expect(await page.evaluate(`document.querySelectorAll('[data-shown="false"]:not([inert])').length`)).toBe(0);
    await go('two');
    expect(await page.getByRole('textbox', { name: 'Message #two' }).inputValue()).toBe('a draft for two');
    expect(await newest('two 29').isVisible()).toBe(true);
  });
});
