import { expect, it } from 'vitest';
import { busyWorkspace } from '../../support/busy-workspace.js';
import { describeInBrowser } from '../../support/browser.js';
import { smallTargets } from '../../support/targets.js';

describeInBrowser('chat screens', (journey) => {
  it(
    'pass axe in light and dark, wide and narrow, with their dialogs, and are saved as pictures',
    { timeout: 240_000 },
    async () => {
      const { page, app } = journey();
      const ws = await app.workspace({ name: 'Acme' });
      const { threadTs } = await busyWorkspace(app, ws);
      const found: string[] = [];
      const look = async (name: string): Promise<void> => {
        for (const colorScheme of ['dark', 'light'] as const) {
          await page.emulateMedia({ colorScheme });
          const again = colorScheme === 'light';
          found.push(...(await journey().axe({ again })).map((line) => `${name}, ${colorScheme}: ${line}`));
        }
        found.push(...(await smallTargets(page)).map((line) => `${name}: a small target: ${line}`));
        await journey().screenshot(`chat-${name}`);
      };
      const go = (path: string): Promise<void> => journey().go(`/w/${ws.id}/${path}`);
      await journey().signIn(ws);
      const message = page.getByRole('listitem').filter({ hasText: 'thanks, on it' });
      await message.waitFor();
      await look('busy');
      await message.getByRole('article').hover();
      await message.getByRole('button', { name: 'React', exact: true }).click();
      await page.getByRole('dialog', { name: 'Emoji' }).getByRole('button', { name: 'tada' }).first().waitFor();
      await look('emoji');
      await page.keyboard.press('Escape');
      await go(`c/${ws.general.id}/t/${threadTs}`);
      await page.getByRole('complementary', { name: 'Thread' }).getByText('Looking.').waitFor();
      await look('thread');
      await go(`c/${ws.random.id}`);
      await page.getByText('This is the beginning of #random').waitFor();
      await look('empty');
      const composer = page.getByRole('textbox', { name: 'Message #random' });
      await composer.pressSequentially('thanks @m');
      await page.getByRole('option').first().waitFor();
      await look('completion');
      await composer.fill('');
      await page.getByRole('button', { name: 'Details' }).click();
      await page.getByRole('complementary', { name: 'Details' }).getByLabel('Topic').waitFor();
      await look('details');
      for (const tab of ['Members', 'Apps', 'Pins', 'Settings']) {
        await page.getByRole('tab', { name: tab, exact: true }).click();
        await journey().quiet();
        await look(`details-${tab.toLowerCase()}`);
      }
      for (const [button, dialog, name] of [
        ['Create channel', 'Create a channel', 'create'],
        ['New message', 'New message', 'new-message'],
        ['Browse channels', 'Channels', 'browse'],
      ] as const) {
        await page.getByRole('button', { name: button }).click();
        await page.getByRole('dialog', { name: dialog }).waitFor();
        await journey().quiet();
        await look(name);
        await page.keyboard.press('Escape');
      }
      await page.getByRole('button', { name: 'Message options' }).click();
      await page.getByRole('menuitem', { name: 'Send as JSON…' }).click();
      await page.getByRole('dialog', { name: 'Send as JSON' }).getByRole('region', { name: 'Preview' }).waitFor();
      await look('json');
      await page.keyboard.press('Escape');
      for (const [keys, dialog, name] of [
        ['Control+k', 'Go to', 'switcher'],
        ['Control+/', 'Keyboard shortcuts', 'keys'],
      ] as const) {
        await page.keyboard.press(keys);
        await page.getByRole('dialog', { name: dialog }).waitFor();
        await look(name);
        await page.keyboard.press('Escape');
      }
      await go('search?q=deploy');
      await page.getByText(/\d+ messages?$/).waitFor();
      await look('search');
      await go('search?q=nothing-like-it');
      await page.getByText('No results').waitFor();
      await look('search-nothing');
      expect(found).toEqual([]);
    },
  );
});
