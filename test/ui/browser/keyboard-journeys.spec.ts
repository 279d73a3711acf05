import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { focused, tabTo } from '../../support/keyboard.js';
import { modalApp } from '../../support/modal-app.js';
import { closeReceivers } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';
import { TestSandbox } from '../../support/sandbox.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

/** The journeys that can be done in the same way with a mouse, here without one. */
describeInBrowser('journeys by keyboard alone', (journey) => {
  closeReceivers();

  it('types at once, and runs a slash command', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const made = await modalApp(app, ws);
    const command = { command: '/deploy', url: made.far.url, description: 'Deploys', usage_hint: '[where]' };
    await rest(app, 'POST /commands', { token: made.bot.token, body: command });
    made.far.answer = (_, reply) => {
      reply.setHeader('content-type', 'application/json');
      reply.end(JSON.stringify({ response_type: 'ephemeral', text: 'Deploying…' }));
    };
    await journey().signIn(ws);
    await expect.poll(async () => (await focused(page)).name, SOON).toBe('Message #general');
    await page.keyboard.type('/dep');
    await page.getByRole('option', { name: '/deploy [where]' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('prod');
    await page.keyboard.press('Enter');
    const answer = page.getByRole('listitem').filter({ hasText: 'Deploying…' });
    await answer.getByText('Only visible to you').waitFor();
    expect((await focused(page)).name).toBe('Message #general');
    await tabTo(page, 'Dismiss', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => answer.count(), SOON).toBe(0);
  });

  it('makes the next call fail once', async () => {
    const { page, app } = journey();
    const box = await TestSandbox.make(app);
    await box.call('chat.postMessage', { channel: '#general', text: 'again' });
    await journey().enter(box, { to: `/w/${box.made.team.id as string}/inspect?method=chat.postMessage` });
    await page.getByRole('row').filter({ hasText: 'chat.postMessage' }).first().waitFor();
    await tabTo(page, /chat\.postMessage.*ok/);
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Entry' }).getByRole('button', { name: 'Fault…' }).waitFor();
    await tabTo(page, 'Fault…');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '429 once' }).waitFor();
    await tabTo(page, '429 once');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Add');
    await page.keyboard.press('Enter');
    await page.getByText(/fired 0 of 1/).waitFor();
    const refused = await box.call('chat.postMessage', { channel: '#general', text: 'again' });
    expect(refused.status).toBe(429);
  });

  it('resets the sandbox', async () => {
    const { page, app } = journey();
    const box = await TestSandbox.make(app);
    await box.call('chat.postMessage', { channel: '#general', text: 'during the test' });
    await journey().enter(box);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    const during = page.getByRole('listitem').filter({ hasText: 'during the test' });
    await during.waitFor();
    await tabTo(page, /^Sandbox: /, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Reset to baseline' }).waitFor();
    await page.keyboard.type('reset');
    await expect.poll(async () => (await focused(page)).name, SOON).toMatch(/^Reset to baseline/);
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await tabTo(page, 'Reset');
    await page.keyboard.press('Enter');
    await expect.poll(() => during.count(), SOON).toBe(0);
  });
});
