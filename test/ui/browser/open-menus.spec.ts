import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { BusySandbox } from '../../support/busy-sandbox.js';
import { closeReceivers } from '../../support/receiver.js';
import { smallTargets } from '../../support/targets.js';

/** Buttons with a menu, and an icon button with a tooltip, by the page they are on. */
const MENUS: readonly (readonly [string, readonly (string | RegExp)[], string])[] = [
  ['', [/^Account: /, /^Sandbox: /, 'Message options'], 'Details'],
  ['inspect', ['Export'], 'Export'],
  ['deliveries', ['Add rule'], 'Copy the target’s id'],
];

describeInBrowser('open menus and tooltips', (journey) => {
  closeReceivers();

  it('pass axe in light and dark, with items that are large enough', async () => {
    const { page, app } = journey();
    const busy = await BusySandbox.make(app);
    const found: string[] = [];
    const look = async (name: string): Promise<void> => {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        const again = colorScheme === 'light';
        found.push(...(await journey().axe({ again, keepPointer: true })).map((line) => `${name}: ${line}`));
      }
      found.push(...(await smallTargets(page)).map((line) => `${name}: a small target: ${line}`));
    };
    await journey().follow(await busy.link(`/w/${busy.made.team_id}/`));
    for (const [path, menus, hinted] of MENUS) {
      await journey().go(`/w/${busy.made.team_id}/${path}`);
      for (const menu of menus) {
        await page.getByRole('button', { name: menu }).first().click();
        await page.getByRole('menu').waitFor();
        await look(`${path} ${String(menu)}`);
        await page.keyboard.press('Escape');
        await expect.poll(() => page.getByRole('menu').count()).toBe(0);
      }
      // a tooltip opens for a pointer that was moved before
      await page.mouse.move(4, 4);
      await page.getByRole('button', { name: hinted }).first().hover();
      await page.locator('[role=tooltip]').waitFor();
      await look(`${path}, tooltip of ${hinted}`);
    }
    expect(found).toEqual([]);
  });
});
