import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { rest } from '../../support/rest-client.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

describeInBrowser('people', (journey) => {
  it('acts as another user in one tab; the other tab and other users see that user', async () => {
    const { page, app } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    const alice = await ws.user({ name: 'alice', realName: 'Alice Doe' });
    const own = await ws.channel({ name: 'alice-only', isPrivate: true, members: [alice] });
    await ws.bot({ name: 'deploy-bot' });
    await journey().signIn(ws);
    const composer = page.getByRole('textbox', { name: 'Message #general' });
    await composer.waitFor();
    const other = await journey().newPage();
    await other.goto(`${app.baseUrl}/w/${ws.id}/c/${ws.general.id}`);
    await other.getByRole('textbox', { name: 'Message #general' }).waitFor();

    // a background tab renders nothing, and every press waits for rendering
    await page.bringToFront();
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menuitem', { name: 'Act as…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Act as…' });
    const bot = dialog.getByRole('option', { name: 'deploy-bot' });
    await bot.getByText('Call the API with its token.').waitFor();
    expect(await bot.getAttribute('aria-disabled')).toBe('true');
    await journey().screenshot('6-act-as');
    await dialog.getByRole('option', { name: 'Alice Doe' }).click();
    await page.getByText('You are acting as Alice Doe (signed in as admin)').waitFor();
    const conversations = page.getByRole('navigation', { name: 'Conversations' });
    await conversations.getByRole('link', { name: 'alice-only' }).waitFor();
    await composer.fill('it is me, Alice');
    await composer.press('Enter');
    const posted = other.getByRole('listitem').filter({ hasText: 'it is me, Alice' });
    await posted.waitFor();
    await other.bringToFront();
    expect(await posted.getByRole('article').getAttribute('aria-label')).toMatch(/^Alice Doe,/);
    expect(await other.getByRole('link', { name: 'alice-only' }).count()).toBe(0);
    await posted.getByRole('article').hover();
    await posted.getByRole('button', { name: 'More' }).click();
    await other.getByRole('menuitem', { name: 'Copy text' }).waitFor();
    expect(await other.getByRole('menuitem', { name: 'Edit message' }).count()).toBe(0);

    await page.bringToFront();
    // a reload keeps acting as the user, with that user's permissions
    await page.goto(`${app.baseUrl}/w/${ws.id}/c/${own.id}`);
    await page.getByText('You are acting as Alice Doe').waitFor();
    await page.getByRole('textbox', { name: 'Message #alice-only' }).waitFor();
    expect(await journey().axe()).toEqual([]);
    await journey().screenshot('6-acting');
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => conversations.getByRole('link', { name: 'alice-only' }).count(), SOON).toBe(0);
    expect(await page.getByText('You are acting as').count()).toBe(0);
    const admin = await ws.jwtClient({ user: ws.admin });
    const entries = (await rest(app, 'GET /sandboxes/self/timeline?kind=event', { token: admin.token })).body.entries;
    expect(JSON.stringify(entries)).toContain('it is me, Alice');
  });

  it('keeps acting as the user after a reload while the server is busy', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const alice = await ws.user({ name: 'alice', realName: 'Alice Doe' });
    await journey().signIn(ws);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    let refused = 0;
    await page.route('**/api/sandboxes/self/act-as', (route) =>
      refused++ === 0
        ? route.fulfill({ status: 503, contentType: 'application/json', body: '{"message":"service_unavailable"}' })
        : route.continue(),
    );
    await page.evaluate(`sessionStorage.setItem('persona:${ws.id}', '${alice.id}')`);
    await page.reload();
    await page.getByText('You are acting as Alice Doe').waitFor();
    expect(refused).toBeGreaterThan(1);
    // who cannot be acted as is forgotten
    await page.evaluate(`sessionStorage.setItem('persona:${ws.id}', 'U0NOBODY000')`);
    await page.reload();
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await expect.poll(() => page.evaluate(`sessionStorage.getItem('persona:${ws.id}')`), SOON).toBeNull();
    expect(await page.getByText('You are acting as').count()).toBe(0);
  });

  it('tells a member why they can neither act as others nor see the traffic', async () => {
    const { app } = journey();
    const ws = await app.workspace();
    const bob = await ws.user({ name: 'bob', realName: 'Bob Roe' });
    const page = await journey().personOf(ws, { as: bob.id });
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await page.getByRole('button', { name: 'Account: Bob Roe' }).click();
    const item = page.getByRole('menuitem', { name: 'Act as…' });
    await item.getByText('Only admins can act as somebody else.').waitFor();
    expect(await item.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Inspector' }).click();
    await page.getByText('The Inspector is for admins').waitFor();
    await page.getByText('Admins here: Admin').waitFor();
  });

  it('opens a profile from a name, and from there a direct message', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const alice = await ws.user({ name: 'alice', realName: 'Alice Doe' });
    await ws.message({ channel: ws.general, user: alice, text: 'hello there' });
    await journey().signIn(ws);
    await page.getByRole('article').getByRole('button', { name: 'Alice Doe', exact: true }).click();
    const profile = page.getByRole('complementary', { name: 'Details' });
    await profile.getByText(alice.id).waitFor();
    expect(await journey().axe()).toEqual([]);
    await profile.getByRole('button', { name: 'Message', exact: true }).click();
    const composer = page.getByRole('textbox', { name: 'Message Alice Doe' });
    await composer.fill('hi Alice');
    await composer.press('Enter');
    const hers = await journey().personOf(ws, { as: alice.id });
    const row = hers.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: /^Admin/i });
    await row.waitFor();
    await row.click();
    await hers.getByRole('listitem').filter({ hasText: 'hi Alice' }).waitFor();
  });
});
