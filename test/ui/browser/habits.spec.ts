import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';

const SOON = { timeout: 45_000 };

/** Makes the page render as slowly as a busy machine: React's remaining work is postponed, one step at a time. */
const SLOW_DRAWING = `{
  const Channel = window.MessageChannel;
  const now = performance.now.bind(performance);
  let ahead = 0;
  performance.now = () => now() + (window.isSlow ? (ahead += 2) : ahead);
  window.MessageChannel = function () {
    const channel = new Channel();
    const post = channel.port2.postMessage.bind(channel.port2);
    channel.port2.postMessage = (...message) =>
      window.isSlow ? setTimeout(() => post(...message), 40) : post(...message);
    return channel;
  };
}`;

/** Inserts text as dictation and phone keyboards do: without key events, each of which React would process at once. */
const written = (text: string): string => `(async () => {
  for (const letter of ${JSON.stringify(text)}) {
    document.execCommand('insertText', false, letter);
    await new Promise((next) => setTimeout(next, 15));
  }
})()`;

describeInBrowser('typing and reading', (journey) => {
  it('breaks lines with Enter and sends with Shift Enter, if that is set', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    await journey().signIn(ws, { to: `/w/${ws.id}/settings/preferences` });
    await page.getByText('Enter sends the message; Shift+Enter starts a new line').click();
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

  it('keeps every letter in an editor when one types faster than the page renders', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    await page.addInitScript(SLOW_DRAWING);
    await journey().signIn(ws, { to: `/w/${ws.id}/apps` });
    await page.getByRole('button', { name: 'New app' }).click();
    const editor = page.getByRole('textbox', { name: 'Manifest' });
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await expect.poll(() => editor.innerText(), SOON).toBe('\n');
    await page.evaluate('window.isSlow = true');
    const typed = 'the quick brown fox jumps over the lazy dog';
    await page.evaluate(written(typed));
    await page.evaluate('window.isSlow = false');
    await journey().quiet();
    expect(await editor.innerText()).toBe(typed);
  });

  it('keeps search results where they were left, and marks new messages in each conversation', async () => {
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
    // without the scrolling that Playwright does for a press while the element moves
    await results
      .getByRole('link', { name: /#general/ })
      .nth(15)
      .dispatchEvent('click');
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

  it('completes :emoji: in the search, finds messages by it and shows it as an emoji, marked', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const alice = await ws.user({ name: 'alice' });
    await ws.message({ channel: ws.general, user: alice, text: 'shipped :rocket: and `:rocket:` in code' });
    await ws.message({ channel: ws.general, user: alice, text: 'no emoji here' });
    await journey().signIn(ws, { to: `/w/${ws.id}/search` });
    const search = page.getByRole('combobox', { name: 'Search messages' });
    await search.pressSequentially(':rocke');
    await page.getByRole('option', { name: ':rocket:' }).waitFor();
    await search.press('Tab');
    await expect.poll(() => search.inputValue(), SOON).toBe(':rocket: ');
    await search.press('Enter');
    const results = page.getByRole('list', { name: 'Found messages' });
    const emoji = results.locator('mark').getByRole('img', { name: ':rocket:' });
    await emoji.waitFor();
    expect(await emoji.innerText()).toBe('🚀');
    expect(await results.getByRole('listitem').count()).toBe(1);
    expect(await results.locator('code').innerText()).toBe(':rocket:');

    // a part of its name finds it as well, and nothing else has drawn an emoji on this page before
    await journey().go(`/w/${ws.id}/search?q=rocke`);
    await emoji.waitFor();
    await search.fill('has::tad');
    await page.getByRole('option', { name: 'has::tada:' }).waitFor();
    expect(await page.getByRole('option', { name: 'has::tada:' }).count()).toBe(1);
  });
});
