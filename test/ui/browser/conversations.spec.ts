import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

describeInBrowser('conversations', (journey) => {
  it('are created, found, previewed, joined, renamed, archived and left', async () => {
    const { page, app } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    const bob = await ws.user({ name: 'bob', realName: 'Bob Roe' });
    await ws.user({ name: 'carol', realName: 'Carol Poe' });
    const far = await ws.channel({ name: 'far-away', members: [bob] });
    const asBob = await ws.userClient({ user: bob });
    const admin = await ws.adminClient();
    await journey().signIn(ws);
    const sidebar = page.getByRole('navigation', { name: 'Conversations' });
    const composer = (name: string) => page.getByRole('textbox', { name: `Message ${name}`, exact: true });
    const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click();
    await composer('#general').waitFor();

    // a name is validated while it is typed
    await press('Create channel');
    const creating = page.getByRole('dialog', { name: 'Create a channel' });
    const name = creating.getByRole('textbox', { name: 'Name' });
    await name.fill('Deploys');
    await creating.getByText('Small letters only.').waitFor();
    await name.fill('two words');
    await creating.getByText('No spaces or periods.').waitFor();
    expect(await creating.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
    await name.fill('deploys');
    await creating.getByText('Private: only people who are invited can see it').click();
    await name.press('Enter');
    await composer('#deploys').waitFor();
    const channel = /\/c\/(\w+)$/.exec(page.url())?.[1] as string;
    const info = async (): Promise<Record<string, unknown>> =>
      (await admin.call('conversations.info', { channel })).channel as Record<string, unknown>;
    expect(await info()).toMatchObject({ name: 'deploys', is_private: true });

    // two other users make a group message
    await press('New message');
    const choosing = page.getByRole('dialog', { name: 'New message' });
    await choosing.getByRole('option', { name: 'Bob Roe' }).click();
    await choosing.getByRole('option', { name: 'Carol Poe' }).click();
    await choosing.getByText('2 people').waitFor();
    await choosing.getByRole('button', { name: 'Go' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bob Roe, Carol Poe' }).waitFor();
    await sidebar.getByRole('link', { name: /Bob Roe, Carol Poe/ }).waitFor();

    // a previewed channel updates live without membership; then it is joined
    await press('Browse channels');
    const browsing = page.getByRole('dialog', { name: 'Channels' });
    await browsing.getByRole('textbox', { name: 'Find a channel' }).fill('far');
    await browsing.getByRole('button', { name: /^far-away/ }).click();
    await page.getByText('You are viewing #far-away without being a member.').waitFor();
    await asBob.call('chat.postMessage', { channel: far.id, text: 'is anybody there?' });
    await page.getByRole('listitem').filter({ hasText: 'is anybody there?' }).waitFor();
    expect(await sidebar.getByRole('link', { name: 'far-away' }).count()).toBe(0);
    await press('Join');
    await composer('#far-away').waitFor();
    await sidebar.getByRole('link', { name: 'far-away' }).waitFor();

    await page.goto(`${app.baseUrl}/w/${ws.id}/c/${channel}`);
    await composer('#deploys').waitFor();
    await press('Details');
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByRole('textbox', { name: 'Topic' }).fill('What ships today');
    await details.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('main').getByText('What ships today').first().waitFor();
    await details.getByRole('tab', { name: 'Members' }).click();
    await details.getByRole('button', { name: 'Add people or apps' }).click();
    const adding = page.getByRole('dialog', { name: 'Add to #deploys' });
    await adding.getByRole('option', { name: 'Carol Poe' }).click();
    await adding.getByRole('button', { name: 'Add 1' }).click();
    await details.getByRole('button', { name: 'Remove carol' }).click();
    await expect.poll(() => details.getByRole('button', { name: 'Remove carol' }).count(), SOON).toBe(0);
    expect((await admin.call('conversations.members', { channel })).members).toEqual([ws.admin.id]);

    await details.getByRole('tab', { name: 'Settings' }).click();
    await details.getByRole('textbox', { name: 'Name' }).fill('releases');
    await details.getByRole('button', { name: 'Save' }).click();
    await sidebar.getByRole('link', { name: 'releases' }).waitFor();
    await details.getByRole('button', { name: 'Archive channel…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByText('#releases is archived and read-only.').waitFor();
    expect(await info()).toMatchObject({ name: 'releases', is_archived: true, topic: { value: 'What ships today' } });
    await press('Details');
    await details.getByRole('tab', { name: 'Settings' }).click();
    await details.getByRole('button', { name: 'Unarchive' }).click();
    await composer('#releases').waitFor();
    await sidebar.getByRole('link', { name: 'far-away' }).click();
    await composer('#far-away').waitFor();
    await press('Details');
    await details.getByRole('tab', { name: 'Settings' }).click();
    await details.getByRole('button', { name: 'Leave channel…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await expect.poll(() => sidebar.getByRole('link', { name: 'far-away' }).count(), SOON).toBe(0);
  });

  it('tell a user without any what to do, and a member why they may not change the channel', async () => {
    const { app } = journey();
    const ws = await app.workspace();
    const [bob, carol] = [await ws.user({ name: 'bob' }), await ws.user({ name: 'carol' })];
    const channel = await ws.channel({ name: 'ours', members: [ws.admin, bob] });
    const lonely = await journey().newPage(await journey().newContext());
    // everybody is in #general, so the answer of the server is replaced
    await lonely.route('**/api/ui/sidebar', (route) => route.fulfill({ json: { conversations: [] } }));
    await journey().follow(await journey().link(ws, { as: carol.id }), lonely);
    await lonely.getByText('No channels yet. Create one, or let your app call conversations.create.').waitFor();
    const page = await journey().personOf(ws, { as: bob.id, to: `/w/${ws.id}/c/${channel.id}` });
    await page.getByRole('textbox', { name: 'Message #ours' }).waitFor();
    await page.getByRole('button', { name: 'Details', exact: true }).click();
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByRole('tab', { name: 'Settings' }).click();
    await details.getByText('Only admins and the creator of the channel may do this.').waitFor();
    expect(await details.getByRole('button', { name: 'Archive channel…' }).isDisabled()).toBe(true);
    expect(await details.getByRole('textbox', { name: 'Name' }).isDisabled()).toBe(true);
  });

  it('keep their scroll position when one goes back, and the chosen width', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const alice = await ws.user({ name: 'alice' });
    for (let n = 0; n < 60; n++) await ws.message({ channel: ws.general, user: alice, text: `line ${n}` });
    await journey().signIn(ws);
    await page.getByRole('listitem').filter({ hasText: 'line 59' }).waitFor();
    const topRow = () =>
      page.evaluate<[string, number]>(`(() => {
        const list = document.querySelector('[aria-label="Messages"]').parentElement;
        const top = list.getBoundingClientRect().top;
        const row = [...list.querySelectorAll('[role=listitem]')].find((one) => one.getBoundingClientRect().bottom > top + 1);
        return [row?.dataset.ts, Math.round(row?.getBoundingClientRect().top - top)];
      })()`);
    const end = await topRow();
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, -900);
    await expect.poll(async () => (await topRow())[0], SOON).not.toBe(end[0]);
    // unrendered rows get their real height first; afterwards nothing moves
    await expect.poll(async () => JSON.stringify([await topRow(), await topRow()]), SOON).toMatch(/^\[(.+),\1\]$/);
    const [ts, top] = await topRow();
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Apps' }).click();
    await page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
    await page.goBack();
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await expect.poll(async () => (await topRow())[0], SOON).toBe(ts);
    await expect.poll(async () => Math.abs((await topRow())[1] - top), SOON).toBeLessThanOrEqual(2);

    const handle = page.getByRole('separator', { name: 'Width of conversations' });
    const width = async () =>
      (await page.getByRole('navigation', { name: 'Conversations' }).boundingBox())?.width as number;
    expect(await handle.getAttribute('aria-valuenow')).toBe('240');
    await handle.focus();
    await handle.press('ArrowRight');
    await handle.press('ArrowRight');
    expect(await handle.getAttribute('aria-valuenow')).toBe('288');
    await handle.press('End');
    expect(await handle.getAttribute('aria-valuenow')).toBe('400');
    const edge = (await handle.boundingBox()) as { x: number; y: number };
    await page.mouse.move(edge.x + 4, edge.y + 100);
    await page.mouse.down();
    await page.mouse.move(edge.x - 96, edge.y + 100, { steps: 4 });
    await page.mouse.up();
    const chosen = Number(await handle.getAttribute('aria-valuenow'));
    expect(chosen).toBeGreaterThan(290);
    expect(chosen).toBeLessThan(310);
    await page.reload();
    await handle.waitFor();
    expect(Number(await handle.getAttribute('aria-valuenow'))).toBe(chosen);
    expect(Math.abs((await width()) - chosen)).toBeLessThanOrEqual(2);
  });

  it('have their bookmarks in a bar', async () => {
    const { page, app } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    const admin = await ws.adminClient();
    const link = 'https://example.com/plan';
    for (const title of ['The plan', 'A very long name of a document that nobody will ever want to read to its end'])
      await admin.call('bookmarks.add', { channel_id: ws.general.id, title, type: 'link', link, emoji: ':clap:' });
    await journey().signIn(ws);
    const bar = page.getByRole('list', { name: 'Bookmarks' });
    await expect.poll(() => bar.getByRole('link', { name: 'The plan' }).getAttribute('href'), SOON).toBe(link);
    await bar.getByRole('img', { name: ':clap:' }).first().waitFor();
    expect(await bar.getByRole('listitem').count()).toBe(2);
    expect(await journey().axe()).toEqual([]);
    await journey().screenshot('bookmarks');
  });
});
