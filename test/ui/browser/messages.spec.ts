import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { rest } from '../../support/rest-client.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

/** A picture of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describeInBrowser('messages', (journey) => {
  it('show a user group by its handle, and who is in it', async () => {
    const { page, app } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    const alice = await ws.user({ name: 'alice', realName: 'Alice Doe' });
    const bot = await ws.bot();
    const { usergroup } = await bot.call('usergroups.create', { name: 'Marketing' });
    await bot.call('usergroups.users.update', { usergroup: usergroup.id, users: alice.id });
    const elements = [{ type: 'rich_text_section', elements: [{ type: 'usergroup', usergroup_id: usergroup.id }] }];
    const post = (args: object) => bot.call('chat.postMessage', { channel: ws.general.id, ...args });
    await post({ text: `ask <!subteam^${usergroup.id}> first` });
    await post({ text: 'in blocks', blocks: [{ type: 'rich_text', elements }] });
    await journey().signIn(ws);
    const rows = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    await rows.filter({ hasText: 'ask' }).getByRole('button', { name: '@marketing' }).click();
    const members = page.getByRole('dialog', { name: 'Members of Marketing' });
    await members.getByText('Alice Doe').waitFor();
    await page.keyboard.press('Escape');
    await members.waitFor({ state: 'hidden' });
    await rows.last().getByRole('button', { name: '@marketing' }).waitFor();
  });

  it('of every kind are rendered, and their menu works', async () => {
    const { page, app, context } = journey();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const ws = await app.workspace({ name: 'Acme' });
    const alice = await ws.user({ name: 'alice', realName: 'Alice Doe' });
    const bot = await ws.bot({ name: 'deploy-bot' });
    await ws.join(ws.general, bot);
    const asAlice = await ws.userClient({ user: alice });
    const channel = ws.general.id;
    const gone = (await ws.message({ channel: ws.general, user: alice, text: 'is taken back' })).ts;
    await ws.message({ channel: ws.general, user: alice, text: 'replies stay', threadTs: gone });
    await asAlice.call('chat.delete', { channel, ts: gone });
    const parent = (await ws.message({ channel: ws.general, user: alice, text: 'a question' })).ts;
    await asAlice.call('chat.postMessage', {
      channel,
      thread_ts: parent,
      reply_broadcast: true,
      text: 'for all to see',
    });
    await bot.call('chat.postMessage', {
      channel,
      text: 'from a mask',
      username: 'Deploy robot',
      icon_emoji: ':rocket:',
    });
    await bot.call('chat.postMessage', { channel, text: 'see https://a.example/x and <javascript:alert(1)|this>' });
    await ws.system(ws.general, { userId: alice.id }, 'channel_join');
    await journey().signIn(ws);
    const rows = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    const row = (text: string) => rows.filter({ hasText: text });
    await row('from a mask').waitFor();
    await row('This message was deleted.').waitFor();
    await row('for all to see').getByText('replied to').waitFor();
    const masked = row('from a mask');
    expect(await masked.getByRole('article').getAttribute('aria-label')).toMatch(/^Deploy robot,/);
    await masked.getByText('APP', { exact: true }).waitFor();
    await row('alice has joined').or(row('joined')).first().waitFor();
    const link = row('see https://a.example/x').getByRole('link', { name: 'https://a.example/x' });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await page.getByRole('main').getByRole('link', { name: 'this' }).count()).toBe(0);

    const menu = async (text: string, item: string): Promise<void> => {
      await row(text).first().hover();
      await row(text).first().getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await menu('a question', 'Copy text');
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()'), SOON).toBe('a question');
    await menu('a question', 'View JSON');
    const json = page.getByRole('dialog', { name: /JSON/ });
    await json.getByText(parent).first().waitFor();
    await page.keyboard.press('Escape');
    await menu('a question', 'Pin to this conversation');
    await page.getByText('Pinned.').waitFor();
    await page.getByRole('button', { name: 'Details', exact: true }).click();
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByRole('tab', { name: 'Pins' }).click();
    await details.getByRole('article').filter({ hasText: 'a question' }).waitFor();
    await details.getByRole('button', { name: 'Unpin' }).click();
    await details.getByText('No pinned messages').waitFor();
    await menu('a question', 'Copy link');
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()'), SOON).toContain('/archives/');
    const permalink = await page.evaluate<string>('navigator.clipboard.readText()');
    await page.goto(permalink);
    await page.locator(`[data-ts="${parent}"]`).waitFor();
    expect(page.url()).toBe(`${app.baseUrl}/w/${ws.id}/c/${channel}?at=${parent}`);
    await menu('a question', 'Find in Inspector');
    await expect.poll(() => page.url(), SOON).toContain(`/inspect?text=${parent}`);
    // a link to a reply opens its thread
    const { messages } = await asAlice.call('conversations.replies', { channel, ts: parent });
    const reply = (messages as { ts: string }[]).at(-1)?.ts as string;
    await page.goto(`${app.baseUrl}/archives/${channel}/p${reply.replace('.', '')}?thread_ts=${parent}&cid=${channel}`);
    await page.getByRole('complementary', { name: 'Thread' }).locator(`[data-ts="${reply}"]`).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/w/${ws.id}/c/${channel}/t/${parent}`);
  });

  it('are posted, kept as drafts, sent as text, JSON and with files; a failed one is kept', async () => {
    const { page, app } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    await ws.user({ name: 'bob' });
    const admin = await ws.jwtClient({ user: ws.admin });
    const newest = async (): Promise<Record<string, unknown>> =>
      (await admin.call('conversations.history', { channel: ws.general.id, limit: 1 })).messages[0];
    await journey().signIn(ws);
    const composer = page.getByRole('textbox', { name: 'Message #general' });
    await composer.waitFor();
    const option = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Message options' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    // two lines, a draft that survives a reload, a preview
    await composer.pressSequentially('first *line*');
    await composer.press('Shift+Enter');
    await composer.pressSequentially('second');
    await page.reload();
    await expect.poll(() => composer.inputValue(), SOON).toBe('first *line*\nsecond');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('region', { name: 'Preview' }).locator('strong').filter({ hasText: 'line' }).waitFor();
    await composer.press('Enter');
    await expect.poll(async () => (await newest())['text'], SOON).toBe('first *line*\nsecond');
    expect(await composer.inputValue()).toBe('');

    await composer.fill('/shrug @bob');
    await composer.press('Escape');
    await option('Send exactly as typed');
    await expect.poll(async () => (await newest())['text'], SOON).toBe('/shrug @bob');
    await option('Send as JSON…');
    const dialog = page.getByRole('dialog', { name: 'Send as JSON' });
    const editor = dialog.getByRole('textbox', { name: 'Message as JSON' });
    await editor.press('Control+A');
    await page.keyboard.insertText(
      JSON.stringify({
        text: 'fallback',
        blocks: [{ type: 'header', text: { type: 'plain_text', text: 'Big news' } }],
      }),
    );
    await dialog.getByRole('region', { name: 'Preview' }).getByText('Big news').waitFor();
    await dialog.getByRole('button', { name: 'Send message' }).click();
    await page.getByRole('list', { name: 'Messages' }).getByText('Big news').waitFor();
    expect(await newest()).toMatchObject({ user: ws.admin.id, text: 'fallback', blocks: [{ type: 'header' }] });

    await page.locator('input[type=file]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: PICTURE });
    await page.getByRole('list', { name: 'Files to send' }).getByText('dot.png').waitFor();
    await composer.fill('a picture');
    await composer.press('Enter');
    const posted = page.getByRole('listitem').filter({ hasText: 'a picture' });
    const image = posted.getByRole('img', { name: 'dot.png' });
    await image.waitFor();
    expect(await image.getAttribute('src')).toMatch(/^blob:/);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      posted.getByRole('button', { name: 'Download dot.png' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('dot.png');

    // a refused post is kept with its error; a rate-limited one is sent later
    const fault = (what: object): Promise<Response> =>
      fetch(`${app.baseUrl}/api/sandboxes/self/faults`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ on: { method: 'chat.postMessage' }, fault: what, times: 1 }),
      });
    await fault({ type: 'error', error: 'restricted_action' });
    await composer.fill('once more');
    await composer.press('Enter');
    const failed = page.getByRole('alert').filter({ hasText: 'Not sent.' });
    await failed.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(async () => (await newest())['text'], SOON).toBe('once more');
    await fault({ type: 'error', error: 'restricted_action' });
    await composer.fill('never mind');
    await composer.press('Enter');
    await failed.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.getByText('never mind').count(), SOON).toBe(0);
    await fault({ type: 'ratelimited', retry_after: 1 });
    await composer.fill('in a moment');
    await composer.press('Enter');
    await page.getByText('Too many messages at once: this one is sent in a moment.').waitFor();
    await expect.poll(async () => (await newest())['text'], SOON).toBe('in a moment');
  });

  it('offer only what the sandbox has methods for', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    await rest(app, 'PATCH /sandboxes/self', { token: admin.token, body: { methods: 'core' } });
    await ws.message({ channel: ws.general, user: ws.admin, text: 'something old' });
    await journey().signIn(ws);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'something old' });
    await row.getByRole('article').hover();
    await row.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Copy link' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Pin to this conversation' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Attach files' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Details', exact: true }).click();
    await page.getByRole('tab', { name: 'Members' }).waitFor();
    expect(await page.getByRole('tab', { name: 'Pins' }).count()).toBe(0);
  });
});
