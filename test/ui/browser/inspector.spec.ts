import { readFile } from 'node:fs/promises';
import type { Page, Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { closeReceivers, receiver } from '../../support/receiver.js';
import { TestSandbox } from '../../support/sandbox.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

const rows = (page: Page) => page.getByRole('grid', { name: 'Traffic' }).getByRole('row');

describeInBrowser('the inspector', (journey) => {
  closeReceivers();

  it('filters with the address, saves presets, and shows calls of this UI only on request', async () => {
    const { page, app } = journey();
    const box = await TestSandbox.make(app, { team: { name: 'Acme' } });
    await box.call('chat.postMessage', { channel: '#general', text: 'a good one' });
    await box.call('chat.postMessage', { channel: 'C0NOTHERE01', text: 'a bad one' });
    await box.call('auth.test', {});
    await journey().enter(box, { to: `/w/${box.made.team.id as string}/inspect` });
    await rows(page).filter({ hasText: 'channel_not_found' }).waitFor();
    const names = async (): Promise<string[]> =>
      (await rows(page).locator('[role=gridcell]:nth-child(3)').allInnerTexts()).map((name) => name.trim());

    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await expect.poll(names, SOON).toEqual(['chat.postMessage']);
    expect(new URL(page.url()).search).toBe('?kind=call&ok=false');
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a filter' });
    await dialog.getByRole('textbox', { name: 'Is' }).fill('auth.*');
    await dialog.getByRole('button', { name: 'Add filter' }).click();
    await expect.poll(names, SOON).toEqual(['auth.test']);
    expect(new URL(page.url()).searchParams.get('method')).toBe('auth.*');
    // new entries are filtered too
    await box.call('chat.postMessage', { channel: '#general', text: 'not asked for' });
    await box.call('auth.test', {});
    await expect.poll(names, SOON).toEqual(['auth.test', 'auth.test']);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.reload();
    const own = page.getByRole('button', { name: 'Method: auth.*', exact: true });
    await own.waitFor();
    await page.getByRole('button', { name: 'Method: auth.*: remove' }).click();
    await expect.poll(async () => (await names()).includes('chat.postMessage'), SOON).toBe(true);
    await own.click();
    await expect.poll(names, SOON).toEqual(['auth.test', 'auth.test']);
    await page.getByRole('button', { name: 'Forget Method: auth.*' }).click();
    await expect.poll(() => own.count(), SOON).toBe(0);

    // calls of this UI are hidden by default
    await journey().go(`/w/${box.made.team.id as string}/c/${await general(box)}`);
    const composer = page.getByRole('textbox', { name: 'Message #general' });
    await composer.fill('by hand');
    await composer.press('Enter');
    await expect.poll(() => page.getByText('sending…').count(), SOON).toBe(0);
    await journey().go(`/w/${box.made.team.id as string}/inspect?kind=call&client=ui`);
    await expect.poll(names, SOON).toContain('chat.postMessage');
    await page.getByText('Only from this UI').waitFor();
    await journey().go(`/w/${box.made.team.id as string}/inspect?kind=call&text=by%20hand`);
    await page.getByText('No entry matches these filters').waitFor();
  });

  it('keeps its position while new entries arrive, and leads from a call to everything that it caused', async () => {
    const { page, app } = journey();
    const far = await receiver((request, reply) => reply.end(request.body.slice(0, 0)));
    const box = await TestSandbox.make(app, { team: { name: 'Acme' } });
    const team = box.made.team.id as string;
    await box.send('POST', '/api/webhooks/outgoing', box.person, { url: far.url, events: ['message'] });
    await journey().enter(box, { to: `/w/${team}/inspect` });
    await rows(page).nth(1).waitFor();
    const post = (text: string) => box.call('chat.postMessage', { channel: '#general', text });
    await post('first');
    const calls = rows(page).filter({ hasText: 'chat.postMessage' });
    await calls.first().waitFor();
    await far.until(({ length }) => length === 1);

    // Space pauses the list; j, k, f and Enter work while a row has the focus
    await rows(page).locator('nth=1').focus();
    await page.keyboard.press(' ');
    const count = await calls.count();
    await post('second');
    await post('third');
    await page.getByRole('button', { name: /^[1-9]\d* new$/ }).waitFor();
    expect(await calls.count()).toBe(count);
    await page.keyboard.press(' ');
    await expect.poll(() => calls.count(), SOON).toBe(count + 2);
    await rows(page).locator('nth=1').focus();
    await page.keyboard.press('j');
    await expect.poll(() => page.evaluate('document.activeElement.dataset.index'), SOON).toBe('1');
    await page.keyboard.press('k');
    await expect.poll(() => page.evaluate('document.activeElement.dataset.index'), SOON).toBe('0');
    await page.keyboard.press('f');
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel'), SOON).toBe('Filter by text');

    // an open entry has its own address; the list behind it does not move
    await calls.last().click();
    const entry = page.getByRole('complementary', { name: 'Entry' });
    await entry.getByText('first').first().waitFor();
    await page.reload();
    await entry.getByText('first').first().waitFor();
    await entry.getByRole('button', { name: 'Raw' }).click();
    await entry.locator('pre').filter({ hasText: '"text": "first"' }).waitFor();
    expect(await entry.innerText()).not.toContain(String(box.bot.authorization).slice(7));
    await entry.getByRole('tab', { name: 'Related' }).click();
    const related = entry.getByRole('tabpanel').getByRole('listitem');
    await related.filter({ hasText: 'delivery' }).first().waitFor();
    for (const kind of ['call chat.postMessage', 'event message'])
      await related.filter({ hasText: kind }).first().waitFor();
    await related.filter({ hasText: 'delivery' }).first().getByRole('button').click();
    await entry.getByText(far.url).first().waitFor();
    await page.keyboard.press('Escape');
    await calls.last().click();
    await entry.getByRole('button', { name: 'Filter by this' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('method'), SOON).toBe('chat.postMessage');
    await entry.getByRole('button', { name: 'Close' }).click();

    const exported = async (item: string): Promise<string> => {
      await page.getByRole('button', { name: 'Export' }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: item }).click(),
      ]);
      return readFile(await file.path(), 'utf8');
    };
    const json = JSON.parse(await exported('JSON, whole entries')) as { method: string; args: object }[];
    expect(json.map(({ method }) => method)).toEqual(Array(3).fill('chat.postMessage'));
    expect(json[2]?.args).toMatchObject({ text: 'first' });
    const har = JSON.parse(await exported('HAR 1.2')) as { log: { version: string; entries: object[] } };
    expect(har.log).toMatchObject({ version: '1.2', entries: { length: 3 } });

    // a query of the tracker opens in GraphiQL, with its complexity
    await box.graphql('{ viewer { id } }');
    await journey().go(`/w/${team}/inspect?product=tracker`);
    await rows(page).filter({ hasText: 'viewer' }).first().click();
    await entry.getByText(/^Complexity \d+ · [\d,]+ points and [\d,]+ requests left$/).waitFor();
    const link = entry.getByRole('link', { name: 'Open in GraphiQL' });
    expect(new URL((await link.getAttribute('href')) as string, app.baseUrl).searchParams.get('query')).toContain(
      'viewer',
    );
  });

  it('makes no requests while it is hidden, and continues where it was', async () => {
    const { page, app } = journey();
    const box = await TestSandbox.make(app);
    await box.call('api.test', {});
    // half a minute passes at once
    await page.addInitScript(`{
      const real = window.setTimeout;
      window.setTimeout = (work, ms, ...more) => real(work, ms === 30_000 ? 50 : ms, ...more);
    }`);
    await journey().enter(box, { to: `/w/${box.made.team.id as string}/inspect` });
    await rows(page).nth(1).waitFor();
    await page.getByText(/shown · live/).waitFor();
    const become = (state: string): Promise<unknown> =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    const isStream = (request: Request): boolean => request.url().includes('/timeline/stream?');
    await Promise.all([page.waitForEvent('requestfailed', isStream), become('hidden')]);
    await box.call('auth.test', {});
    expect(await rows(page).filter({ hasText: 'auth.test' }).count()).toBe(0);
    const [again] = await Promise.all([page.waitForEvent('request', isStream), become('visible')]);
    expect(new URL(again.url()).searchParams.get('after')).toMatch(/^t\d+$/);
    await rows(page).filter({ hasText: 'auth.test' }).first().waitFor();
    expect(await rows(page).filter({ hasText: 'auth.test' }).count()).toBe(1);
  });
});

const general = async (box: TestSandbox): Promise<string> => {
  const { channels } = (await box.call('conversations.list', {})).body;
  return (channels as { id: string; is_general: boolean }[]).find((one) => one.is_general)?.id as string;
};
