import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../../src/kernel/config/package-root.js';
import { describeInBrowser, type Journey } from '../../support/browser.js';
import { BusySandbox } from '../../support/busy-sandbox.js';
import { closeReceivers } from '../../support/receiver.js';

const FOLDER = join(PACKAGE_ROOT, 'artifacts', 'ui', 'pages');
/** Light and wide, dark and narrow; with UI_SHAPES=all the other two as well, for who looks at the pictures. */
const SHAPES = [
  ['light', 1280],
  ['dark', 390],
  ...(process.env['UI_SHAPES'] === 'all'
    ? ([
        ['dark', 1280],
        ['light', 390],
      ] as const)
    : []),
] as const;

/** Each page with something on it: axe finds nothing, nothing sticks out, and a picture of it is kept. */
describeInBrowser('pages', (journey) => {
  closeReceivers();
  beforeAll(() => mkdirSync(FOLDER, { recursive: true }));

  /** What axe and the eye find on the page that is open, in every shape. */
  async function look(name: string, { page, axe }: Pick<Journey, 'page'> & { axe: () => Promise<string[]> }) {
    const found: string[] = [];
    for (const [colorScheme, width] of SHAPES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (wide > width) found.push(`${name} ${width}: ${wide - width} px stick out`);
      found.push(...(await axe()).map((line) => `${name} ${colorScheme} ${width}: ${line}`));
      await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}-${width}.png`) });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    return found;
  }

  it('of the inspector', async () => {
    const { page, app } = journey();
    const busy = await BusySandbox.make(app);
    const at = (path: string) => `/w/${busy.made.team_id}/${path}`;
    const seen = (name: string) => look(name, { page, axe: () => journey().axe() });
    const found: string[] = [];

    await page.goto(await busy.link(at('inspect')));
    const grid = page.getByRole('grid', { name: 'Traffic' });
    await grid.getByRole('row').filter({ hasText: 'chat.postMessage' }).first().waitFor();
    found.push(...(await seen('inspect')));
    await page.goto(`${app.baseUrl}${at('inspect?text=nothing-at-all')}`);
    await page.getByText('Nothing fits these filters').waitFor();
    found.push(...(await seen('inspect-empty')));
    await page.goto(`${app.baseUrl}${at('inspect?kind=delivery')}`);
    await grid.getByRole('row').filter({ hasText: '500' }).first().click();
    const entry = page.getByRole('complementary', { name: 'Entry' });
    for (const tab of ['Request', 'Answer', 'Headers', 'Attempts', 'Related']) {
      await entry.getByRole('tab', { name: tab }).click();
      await entry.getByRole('tabpanel').waitFor();
      found.push(...(await seen(`entry-${tab.toLowerCase()}`)));
    }
    for (const [path, ready] of [
      ['deliveries', 'Deliveries'],
      ['faults', 'Faults'],
    ] as const) {
      await page.goto(`${app.baseUrl}${at(path)}`);
      await page.getByRole('list', { name: ready }).getByRole('listitem').first().waitFor();
      found.push(...(await seen(path)));
    }
    expect(found).toEqual([]);
  });

  it('of limits, clock, settings and apps', async () => {
    const { page, app } = journey();
    const busy = await BusySandbox.make(app);
    const at = (path: string) => `/w/${busy.made.team_id}/${path}`;
    const seen = (name: string) => look(name, { page, axe: () => journey().axe() });
    const found: string[] = [];

    await page.goto(await busy.link(at('limits')));
    await page.getByRole('region', { name: 'Limits' }).waitFor();
    found.push(...(await seen('limits')));
    for (const path of ['clock', 'settings', 'settings/people', 'settings/sign-ins', 'apps']) {
      await page.goto(`${app.baseUrl}${at(path)}`);
      await page.getByRole('main').waitFor();
      await page.waitForLoadState('networkidle');
      found.push(...(await seen(path.replace('/', '-'))));
    }
    const pager = busy.made.credentials.apps.pager.app_id;
    for (const tab of ['overview', 'tokens', 'credentials', 'events', 'commands', 'webhooks', 'manifest']) {
      await page.goto(`${app.baseUrl}${at(`apps/${pager}/${tab}`)}`);
      await page.getByRole('tabpanel').waitFor();
      await page.waitForLoadState('networkidle');
      found.push(...(await seen(`app-${tab}`)));
    }
    expect(found).toEqual([]);
  });

  it('of operators, of who signs in, of the tracker', async () => {
    const { page, app } = journey();
    const busy = await BusySandbox.make(app);
    for (const name of [
      'worker 1',
      'checkout, second lane',
      'a sandbox with a name that is as long as eighty characters let it be, nearly',
    ]) {
      await busy.operator('POST', '/sandboxes', { name, labels: { suite: busy.made.team_id }, ttl_seconds: 7_200 });
    }
    const seen = (name: string) => look(name, { page, axe: () => journey().axe() });
    const found: string[] = [];

    await page.goto(`${app.baseUrl}/sign-in`);
    await page.getByRole('heading', { name: 'Sign in to Understudy' }).waitFor();
    found.push(...(await seen('sign-in')));
    await page.goto(await busy.link('/sandboxes'));
    await page.getByRole('textbox', { name: 'Admin token' }).waitFor();
    found.push(...(await seen('sandboxes-token')));
    await page.getByRole('textbox', { name: 'Admin token' }).fill('operator-of-the-tests');
    await page.getByRole('button', { name: 'Go on' }).click();
    // on a shared store there are more sandboxes than a page shows
    await page.getByRole('textbox', { name: 'Filter' }).fill(`suite=${busy.made.team_id}`);
    await page
      .getByRole('region', { name: 'Sandboxes' })
      .getByRole('row')
      .filter({ hasText: 'checkout, second lane' })
      .first()
      .waitFor();
    found.push(...(await seen('sandboxes')));
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByRole('textbox', { name: 'Seed document' }).waitFor();
    found.push(...(await seen('sandboxes-new')));

    await page.goto(`${app.baseUrl}/w/${busy.made.team_id}/apps`);
    await page.getByRole('button', { name: 'New app' }).click();
    await page.getByRole('textbox', { name: 'Manifest' }).waitFor();
    found.push(...(await seen('app-new')));
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'my-bot is ready' }).waitFor();
    found.push(...(await seen('app-made')));
    await page.goto(`${app.baseUrl}/graphiql?team=${busy.made.team_id}`);
    await page.getByRole('button', { name: 'Use an API key' }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(FOLDER, 'graphiql-light-1280.png') });
    expect(found).toEqual([]);
  });
});
