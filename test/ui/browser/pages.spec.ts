import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../../src/kernel/config/package-root.js';
import { describeInBrowser } from '../../support/browser.js';
import { BusySandbox } from '../../support/busy-sandbox.js';
import { closeReceivers } from '../../support/receiver.js';
import { TestSandbox } from '../../support/sandbox.js';
import { smallTargets } from '../../support/targets.js';

const FOLDER = join(PACKAGE_ROOT, 'artifacts', 'ui', 'pages');
/** Light and wide, dark and narrow; with UI_SHAPES=all the other two as well, for their pictures. */
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

/** Each page with data: axe finds nothing, nothing overflows, no target is small, and a picture is saved. */
describeInBrowser('pages', (journey) => {
  closeReceivers();
  beforeAll(() => mkdirSync(FOLDER, { recursive: true }));

  /** The findings of axe and of the overflow check on the open page, in every shape. */
  async function look(name: string): Promise<string[]> {
    const { page } = journey();
    const found: string[] = [];
    for (const [colorScheme, width] of SHAPES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 800 });
      await journey().picture(join(FOLDER, `${name}-${colorScheme}-${width}.png`));
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (wide > width) found.push(`${name} ${width}: ${wide - width} px stick out`);
      found.push(...(await journey().axe()).map((line) => `${name} ${colorScheme} ${width}: ${line}`));
      // GraphiQL brings controls of its own
      if (name !== 'graphiql')
        found.push(...(await smallTargets(page)).map((line) => `${name} ${width}: a small target: ${line}`));
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    return found;
  }

  /** The names of the variables that "Copy as .env" copies; each has a value. */
  async function copiedEnv(): Promise<(string | undefined)[]> {
    const { page, context } = journey();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as .env' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const lines = (await page.evaluate<string>('navigator.clipboard.readText()')).split('\n');
    return lines.map((line) => /^(\w+)=\S+$/.exec(line)?.[1]);
  }

  it('of a busy workspace pass axe in both themes, and nothing sticks out at any width', async () => {
    const { page, app } = journey();
    const busy = await BusySandbox.make(app);
    const at = (path: string) => `/w/${busy.made.team_id}/${path}`;
    const found: string[] = [];

    // limits refill over time, so they are shown first
    await journey().follow(await busy.link(at('limits')));
    await page.getByRole('region', { name: 'Limits' }).waitFor();
    found.push(...(await look('limits')));
    await journey().go(at('inspect'));
    const grid = page.getByRole('grid', { name: 'Traffic' });
    await grid.getByRole('row').filter({ hasText: 'chat.postMessage' }).first().waitFor();
    found.push(...(await look('inspect')));
    await journey().go(at('inspect?text=nothing-at-all'));
    await page.getByText('No entry matches these filters').waitFor();
    found.push(...(await look('inspect-empty')));
    await journey().go(at('inspect?kind=delivery'));
    await grid.getByRole('row').filter({ hasText: '500' }).first().click();
    const entry = page.getByRole('complementary', { name: 'Entry' });
    for (const tab of ['Request', 'Answer', 'Headers', 'Attempts', 'Related']) {
      await entry.getByRole('tab', { name: tab }).click();
      await entry.getByRole('tabpanel').waitFor();
      await journey().quiet();
      found.push(...(await look(`entry-${tab.toLowerCase()}`)));
    }
    for (const [path, ready] of [
      ['deliveries', 'Deliveries'],
      ['faults', 'Faults'],
    ] as const) {
      await journey().go(at(path));
      await page.getByRole('list', { name: ready }).getByRole('listitem').first().waitFor();
      found.push(...(await look(path)));
    }
    for (const path of [
      'changes',
      'clock',
      'settings',
      'settings/preferences',
      'settings/people',
      'settings/sign-ins',
      'apps',
    ]) {
      await journey().go(at(path));
      await page.getByRole('main').waitFor();
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
      found.push(...(await look(path.replace('/', '-'))));
    }
    const pager = busy.made.credentials.apps.pager.app_id;
    for (const tab of ['overview', 'tokens', 'credentials', 'events', 'commands', 'webhooks', 'manifest']) {
      await journey().go(at(`apps/${pager}/${tab}`));
      await page.getByRole('tabpanel').waitFor();
      // the editor is loaded separately
      if (tab === 'manifest') await page.getByRole('textbox', { name: 'Manifest' }).waitFor();
      await journey().quiet();
      found.push(...(await look(`app-${tab}`)));
    }
    expect(found).toEqual([]);
  });

  it('of operators, of signing in and of creating an app, and those of the tracker, pass the same', async () => {
    const { page, app } = journey();
    const box = await TestSandbox.make(app, { team: { name: 'Acme Deployments' } });
    const operator = { 'x-admin-token': 'operator-of-the-tests' };
    for (const name of [
      'worker 1',
      'checkout, second lane',
      'a sandbox with a name that is as long as eighty characters let it be, nearly',
    ]) {
      const document = {
        name,
        labels: { suite: box.made.team.id },
        ttl_seconds: 7_200,
        channels: [{ name: 'war-room' }],
      };
      await box.send('POST', '/api/sandboxes', operator, document);
    }
    const found: string[] = [];

    await page.goto(`${app.baseUrl}/sign-in`);
    await page.getByRole('heading', { name: 'Sign in to Understudy' }).waitFor();
    found.push(...(await look('sign-in')));
    await journey().enter(box, { to: '/sandboxes' });
    await page.getByRole('textbox', { name: 'Admin token' }).waitFor();
    found.push(...(await look('sandboxes-token')));
    await page.getByRole('textbox', { name: 'Admin token' }).fill('another-token');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('The server does not accept this admin token.').waitFor();
    found.push(...(await look('sandboxes-wrong-token')));
    await page.getByRole('textbox', { name: 'Admin token' }).fill('operator-of-the-tests');
    await page.getByRole('button', { name: 'Continue' }).click();
    // a shared store may have more sandboxes than a page shows
    await page.getByRole('textbox', { name: 'Filter' }).fill(`suite=${box.made.team.id}`);
    const table = page.getByRole('region', { name: 'Sandboxes' });
    const row = table.getByRole('row').filter({ hasText: 'checkout, second lane' }).first();
    await row.waitFor();
    found.push(...(await look('sandboxes')));
    await row.getByRole('button', { name: 'More about checkout, second lane' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export document' }).click(),
    ]);
    const exported = JSON.parse(readFileSync(await file.path(), 'utf8')) as { channels: { name: string }[] };
    expect(file.suggestedFilename()).toMatch(/\.seed\.json$/);
    expect(exported.channels.map(({ name }) => name)).toContain('war-room');
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByRole('textbox', { name: 'Seed document' }).waitFor();
    found.push(...(await look('sandboxes-new')));
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'The sandbox is ready' }).waitFor();
    found.push(...(await look('sandboxes-made')));
    expect(await copiedEnv()).toEqual([
      'SVC_API_URL',
      'SVC_SANDBOX_TOKEN',
      'SLACK_API_URL',
      'SLACK_BOT_TOKEN',
      'SLACK_USER_TOKEN',
      'SLACK_APP_TOKEN',
      'SLACK_SIGNING_SECRET',
      'LINEAR_API_URL',
      'LINEAR_API_KEY',
    ]);
    await page.getByRole('button', { name: 'Done' }).click();

    await journey().go(`/w/${box.made.team.id}/apps`);
    await page.getByRole('button', { name: 'New app' }).click();
    await page.getByRole('textbox', { name: 'Manifest' }).waitFor();
    found.push(...(await look('app-new')));
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'my-bot is ready' }).waitFor();
    found.push(...(await look('app-made')));
    expect(await copiedEnv()).toEqual(['SLACK_API_URL', 'SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET']);
    expect(found).toEqual([]);
  });

  it('of the tracker’s API pass the same, in the colours of the app', async () => {
    const { page, app } = journey();
    const box = await TestSandbox.make(app);
    await journey().enter(box, { to: `/w/${box.made.team.id}/settings` });
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
    await page.goto(`${app.baseUrl}/graphiql?team=${box.made.team.id}`);
    await page.getByRole('button', { name: 'Use an API key' }).waitFor();
    await page.getByText('query Me').first().waitFor();
    await journey().quiet();
    expect(await look('graphiql')).toEqual([]);
    // the app's colours, also where the system and not the preferences asks for a dark page
    const [dark, light] = ['240, 91%, 82%', '240, 50%, 54%'];
    const colour = (): Promise<string> =>
      page.evaluate(
        `getComputedStyle(document.querySelector('.graphiql-container') ?? document.body).getPropertyValue('--color-primary').trim()`,
      );
    for (const [colorScheme, primary] of [
      ['dark', dark],
      ['light', light],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await expect.poll(colour).toBe(primary);
    }
    // what the preferences say counts more than the system
    for (const [theme, colorScheme, primary] of [
      ['dark', 'light', dark],
      ['light', 'dark', light],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(`localStorage.setItem('theme', '${theme}')`);
      await page.reload();
      await page.getByText('query Me').first().waitFor();
      await expect.poll(colour).toBe(primary);
    }
  });
});
