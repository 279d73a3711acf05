import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { focused, tabTo } from '../../support/keyboard.js';
import { closeReceivers, receiver } from '../../support/receiver.js';
import { TestSandbox } from '../../support/sandbox.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

describeInBrowser('by keyboard alone', (journey) => {
  closeReceivers();

  it('goes through the chat in order, is never trapped, and always shows the focus', async () => {
    const { page, app } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    await ws.message({ channel: ws.general, user: ws.admin, text: 'the only message' });
    await journey().signIn(ws);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'the only message' }).waitFor();
    await tabTo(page, 'Skip to the content');
    const order = [await focused(page)];
    for (let steps = 0; steps < 80; steps++) {
      await page.keyboard.press('Tab');
      const now = await focused(page);
      if (now.role === 'page' || now.name === order[0]?.name) break;
      order.push(now);
    }
    // it returned to the start, so no element trapped the focus
    expect(order.length).toBeLessThan(60);
    expect(order.filter((one) => !one.isRinged).map(({ name, role }) => `${role} ${name}`)).toEqual([]);
    expect(order.filter((one) => !one.isSeen).map(({ name, role }) => `${role} ${name}`)).toEqual([]);
    const names = order.map(({ name }) => name);
    const places = [
      /^Skip to the content$/,
      /^Workspace:/,
      /^Search messages$/,
      /^Sandbox: /,
      /^Account: /,
      /^Chat$/,
      /^Sandboxes$/,
      /^general/,
      /^Width of conversations$/,
      /^Details$/,
      /^Message #general$/,
      /^Bold$/,
      /^Message options$/,
    ].map((name) => names.findIndex((one) => name.test(one)));
    expect(places, names.join(' · ')).toEqual(places.toSorted((a, b) => a - b));
    expect(places, names.join(' · ')).not.toContain(-1);
    // the list of messages is one tab stop
    expect(order.filter(({ role }) => role === 'listitem')).toHaveLength(1);

    await tabTo(page, 'Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
  });

  it('has the shortcuts that its help lists', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const bot = await ws.bot();
    const alice = await ws.user({ name: 'alice' });
    await ws.message({ channel: ws.general, user: alice, text: 'older' });
    await ws.message({ channel: ws.general, user: ws.admin, text: 'mine' });
    await ws.channel({ name: 'quiet', members: [ws.admin] });
    await journey().signIn(ws);
    const composer = (name: string) => page.getByRole('textbox', { name: `Message #${name}` });
    await composer('general').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'mine' }).waitFor();

    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    await page.keyboard.type('rando');
    await page.keyboard.press('Enter');
    await composer('random').waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await composer('quiet').waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await composer('general').waitFor();
    await page.keyboard.press('Alt+ArrowDown');
    await composer('quiet').waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await composer('general').waitFor();
    await ws.join(ws.random, bot);
    await bot.call('chat.postMessage', { channel: ws.random.id, text: 'unread' });
    await page.locator('[data-conversation][data-unread="true"]').waitFor();
    await page.keyboard.press('Alt+Shift+ArrowDown');
    await composer('random').waitFor();
    await page.keyboard.press('Control+f');
    await expect.poll(async () => (await focused(page)).name, SOON).toBe('Search messages');
    await page.keyboard.press('Control+/');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Ctrl/⌘ K').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => keys.count(), SOON).toBe(0);
    // the focus returned to where it was
    await expect.poll(async () => (await focused(page)).name, SOON).toBe('Search messages');
    await page.keyboard.press('Control+.');
    await page.getByRole('grid', { name: 'Traffic' }).waitFor();

    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    await page.keyboard.type('#general');
    await page.keyboard.press('Enter');
    await composer('general').waitFor();
    await expect.poll(async () => (await focused(page)).name, SOON).toBe('Message #general');
    const text = () => page.evaluate<string>('document.activeElement.textContent');
    await tabTo(page, /mine/, 'Shift+Tab');
    await page.keyboard.press('ArrowUp');
    await expect.poll(text, SOON).toContain('older');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await focused(page)).name, SOON).toBe('React');
    // the first Escape may close the button's tooltip
    const escaped = async (): Promise<string> => {
      await page.keyboard.press('Escape');
      return text();
    };
    await expect.poll(escaped, SOON).toContain('older');
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: 'Emoji' }).getByRole('button', { name: 'tada' }).first().waitFor();
    await expect.poll(async () => (await focused(page)).name, SOON).toBe('Search emoji');
    await page.keyboard.type('tada');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'tada, 1' }).waitFor();
    await expect.poll(escaped, SOON).toContain('older');
    // messages of others cannot be edited, one's own can
    await page.keyboard.press('e');
    await page.keyboard.press('ArrowDown');
    await expect.poll(text, SOON).toContain('mine');
    await page.keyboard.press('e');
    const edit = page.getByRole('textbox', { name: 'Edit message' });
    expect(await edit.inputValue()).toBe('mine');
    await page.keyboard.press('Escape');
    await expect.poll(() => edit.count(), SOON).toBe(0);
  });

  it('posts, answers in a thread, finds what the app sent and copies it', async () => {
    const { page, app, context } = journey();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const box = await TestSandbox.make(app, { team: { name: 'Acme' } });
    await journey().enter(box);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await expect.poll(async () => (await focused(page)).name, SOON).toBe('Message #general');
    await page.keyboard.type('who is there?');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'who is there?' }).waitFor();
    await expect.poll(() => page.getByText('sending…').count(), SOON).toBe(0);
    // the first message of a channel has its introduction above it
    await tabTo(page, /created this channel/, 'Shift+Tab');
    await page.keyboard.press('t');
    await expect.poll(async () => (await focused(page)).name, SOON).toBe('Reply…');
    await page.keyboard.type('me');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: /1 reply/ }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('complementary', { name: 'Thread' }).count(), SOON).toBe(0);

    await box.call('chat.postMessage', { channel: '#general', text: 'deployed v42' });
    await page.keyboard.press('Control+.');
    const rows = page.getByRole('row').filter({ hasText: 'deployed v42' });
    await rows.filter({ hasText: 'chat.postMessage' }).first().waitFor();
    // the event that the call caused is newer, and may come a moment later
    await rows.filter({ hasText: 'event' }).first().waitFor();
    // Tab leads to the row that was the first when the page was drawn: the event, or the call if that came later
    await tabTo(page, /event|chat\.postMessage/);
    const upToEvent = async (): Promise<string> => {
      if (!/event/.test((await focused(page)).name)) await page.keyboard.press('ArrowUp');
      return (await focused(page)).name;
    };
    // a row that comes while a key is pressed may take the place of the one that was meant
    await expect.poll(upToEvent, SOON).toMatch(/event/);
    await page.keyboard.press('ArrowDown');
    await expect.poll(async () => (await focused(page)).name, SOON).toMatch(/chat\.postMessage/);
    const row = await page.evaluate<string>('document.activeElement.dataset.entry');
    await page.keyboard.press('Enter');
    const entry = page.getByRole('complementary', { name: 'Entry' });
    await entry.getByText('deployed v42').first().waitFor();
    await tabTo(page, 'Copy as curl');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()'), SOON).toContain('$BOT_TOKEN');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate<string>('document.activeElement.dataset.entry ?? ""'), SOON).toBe(row);
  });

  it('finds what was not delivered and redelivers it', async () => {
    const { page, app } = journey();
    const far = await receiver((_, reply) => void ((reply.statusCode = 500), reply.end('broken')));
    const box = await TestSandbox.make(app);
    await box.send('POST', '/api/webhooks/outgoing', box.person, { url: far.url, events: ['message'] });
    await box.call('chat.postMessage', { channel: '#general', text: 'hear this' });
    await far.until(({ length }) => length >= 1);
    await journey().enter(box, { to: `/w/${box.made.team.id as string}/inspect` });
    await page.getByRole('grid', { name: 'Traffic' }).waitFor();
    await tabTo(page, 'Traffic');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first().waitFor();
    await tabTo(page, /hear this/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^1 .*500/ }).waitFor();
    const before = far.received.length;
    far.answer = (_, reply) => void reply.end();
    await tabTo(page, 'Resend now');
    await page.keyboard.press('Enter');
    await far.until(({ length }) => length > before);
    await page.getByRole('tab', { name: 'Delivered 1' }).waitFor();
  });
});
