import { expect, it } from 'vitest';
import { BusySandbox } from '../../support/busy-sandbox.js';
import { describeInBrowser } from '../../support/browser.js';
import { closeReceivers } from '../../support/receiver.js';
import { smallTargets } from '../../support/targets.js';

describeInBrowser('replaying a call', (journey) => {
  closeReceivers();

  it('sends an edited call as another person, shows the answer, and marks its entry', async () => {
    const { page, app } = journey();
    const busy = await BusySandbox.make(app);
    await journey().follow(await busy.link(`/w/${busy.made.team_id}/inspect?method=chat.postMessage&kind=call`));
    const grid = page.getByRole('grid', { name: 'Traffic' });
    await grid.getByRole('row').filter({ hasText: 'Deploy 12 of' }).click();
    const entry = page.getByRole('complementary', { name: 'Entry' });
    await entry.getByRole('button', { name: 'Replay…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay chat.postMessage' });
    const editor = dialog.getByRole('textbox', { name: 'Arguments' });
    await editor.getByText('Deploy 12 of').waitFor();
    const who = dialog.getByRole('combobox', { name: 'Call as' });
    expect(await who.locator('option').allTextContents()).toEqual(
      expect.arrayContaining(['deploy-bot (as recorded)', 'deploy-bot (bot token)', 'pager (bot token)', 'Alice Doe']),
    );

    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    const answer = dialog.getByRole('region', { name: 'Answer' });
    await answer.getByText('ok', { exact: true }).first().waitFor();
    await answer.getByText('Deploy 12 of').first().waitFor();
    expect(await journey().axe()).toEqual([]);
    expect(await smallTargets(page)).toEqual([]);
    await journey().screenshot('replay');

    // as the app that is not in the channel, with other arguments
    await editor.press('Control+A');
    await page.keyboard.insertText('{ "channel": "#no-such-channel", "text": "replayed" }');
    await who.selectOption('pager (bot token)');
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await answer.getByText('channel_not_found', { exact: true }).first().waitFor();
    await editor.press('Control+A');
    await page.keyboard.insertText('{ "channel": ');
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: /^Line 1: / })
      .waitFor();

    await editor.press('Control+A');
    await page.keyboard.insertText('{ "channel": "war-room", "text": "replayed by a person" }');
    await who.selectOption('Bob Rößler-Świątek');
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await answer.getByText('ok', { exact: true }).first().waitFor();
    await dialog.getByRole('button', { name: 'Show in traffic' }).click();
    await entry.getByText('replay', { exact: true }).waitFor();
    await entry.getByText('replayed by a person').first().waitFor();
    const { body } = await busy.control('GET', '/timeline?client=replay&view=summary');
    expect(
      body.entries.map(({ caller }: { caller: { app?: string; user: string } }) => caller.app ?? caller.user),
    ).toEqual(['deploy-bot', 'pager', 'bob']);
    await journey().screenshot('replay-in-traffic');
    // the list stands still while an entry is open
    await entry.getByRole('button', { name: 'Close' }).click();
    const row = grid.getByRole('row').filter({ hasText: 'replayed by a person' });
    await row.getByLabel('replay', { exact: true }).waitFor({ timeout: 20_000 });
  });
});
