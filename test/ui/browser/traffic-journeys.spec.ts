import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { closeReceivers, receiver, type Received } from '../../support/receiver.js';
import { TestSandbox } from '../../support/sandbox.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

const idOf = (request: Received): unknown => (JSON.parse(request.body) as { event_id: string }).event_id;

describeInBrowser('traffic', (journey) => {
  closeReceivers();

  /** A sandbox with a journal, opened as its admin. */
  const open = async (to?: string): Promise<TestSandbox> => {
    const box = await TestSandbox.make(journey().app, { team: { name: 'Acme' } });
    await journey().enter(box, to === undefined ? {} : { to });
    return box;
  };
  const tokenOf = (box: TestSandbox): string => box.made.bot_token as string;

  it('finds what the app sent; the copied curl posts it again', async () => {
    const { page, app, context } = journey();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const box = await open();
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    const client = new WebClient(tokenOf(box), { slackApiUrl: `${app.baseUrl}/api/` });
    await client.chat.postMessage({ channel: '#general', text: 'deployed v42' });
    await page.getByRole('listitem').filter({ hasText: 'deployed v42' }).waitFor();
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Inspector' }).click();
    const row = page.getByRole('row').filter({ hasText: 'chat.postMessage' }).first();
    await row.waitFor();
    expect(await row.getByRole('gridcell').allInnerTexts()).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}$/),
      expect.stringContaining('call'),
      'chat.postMessage',
      expect.stringContaining('app'),
      'ok',
      expect.stringMatching(/^\d+$/),
      expect.any(String),
    ]);
    await row.click();
    const entry = page.getByRole('complementary', { name: 'Entry' });
    await entry.getByText('deployed v42').first().waitFor();
    expect(await page.content()).not.toContain(tokenOf(box));
    await entry.getByRole('button', { name: 'Copy as curl' }).click();
    const curl = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(curl).toContain('$BOT_TOKEN');
    const copyId = entry.getByRole('button', { name: /^Copy [0-9a-f]{24}$/ });
    await copyId.click();
    expect(`Copy ${await page.evaluate<string>('navigator.clipboard.readText()')}`).toBe(
      await copyId.getAttribute('aria-label'),
    );
    await journey().screenshot('2-inspector');
    // asynchronous, as the server runs in this process
    const run = promisify(execFile)('sh', ['-c', curl], { env: { ...process.env, BOT_TOKEN: tokenOf(box) } });
    expect(JSON.parse((await run).stdout)).toMatchObject({ ok: true });
    await entry.getByRole('button', { name: 'Go to message' }).click();
    await page.getByRole('listitem').filter({ hasText: 'deployed v42' }).first().waitFor();
  });

  it('finds why an endpoint missed a delivery, and redelivers it once the endpoint works', async () => {
    const { page } = journey();
    const far = await receiver((_, reply) => void ((reply.statusCode = 500), reply.end('broken')));
    const box = await open();
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await box.send('POST', '/api/webhooks/outgoing', box.person, { url: far.url, events: ['message'] });
    await box.call('chat.postMessage', { channel: '#general', text: 'hear this' });
    await far.until(({ length }) => length === 2);
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Inspector' }).click();
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    const states = page.getByRole('tablist', { name: 'Deliveries by state' });
    await states.getByRole('tab', { name: 'Retrying 1' }).click();
    await box.control('POST', '/clock/advance', { seconds: 61 });
    await far.until(({ length }) => length === 3);
    const row = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first();
    await row.getByText('3 attempts').click();
    await expect.poll(() => row.getByText('500').count(), SOON).toBeGreaterThanOrEqual(3);
    await row
      .getByText(/^(next )?in (5:00|4:\d\d)$/)
      .first()
      .waitFor();
    expect(await journey().axe()).toEqual([]);
    await journey().screenshot('7-deliveries');
    far.answer = (_, reply) => void reply.end();
    await row.getByRole('button', { name: 'Resend now' }).click();
    await states.getByRole('tab', { name: 'Delivered 1' }).waitFor();
    await far.until(({ length }) => length === 4);
    expect(new Set(far.received.map(idOf)).size).toBe(1);
  });

  it('makes the next call fail once, from an entry of a successful call', async () => {
    const { page, app } = journey();
    const box = await open();
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    const client = new WebClient(tokenOf(box), {
      slackApiUrl: `${app.baseUrl}/api/`,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
    });
    const post = () => client.chat.postMessage({ channel: '#general', text: 'again' });
    await post();
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Inspector' }).click();
    await page.getByRole('row').filter({ hasText: 'chat.postMessage' }).first().click();
    await page.getByRole('complementary', { name: 'Entry' }).getByRole('button', { name: 'Fault…' }).click();
    await page.getByRole('button', { name: '429 once' }).click();
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText(/fired 0 of 1/).waitFor();
    await page.getByRole('link', { name: '1 fault armed' }).waitFor();
    await expect(post()).rejects.toMatchObject({ code: 'slack_webapi_rate_limited_error', retryAfter: 1 });
    expect((await post()).ok).toBe(true);
    await page.getByText(/fired 1 of 1/).waitFor();
    await journey().screenshot('8-faults');
    await page.getByRole('tab', { name: 'Traffic' }).click();
    const hit = page.getByRole('row').filter({ hasText: 'ratelimited' }).filter({ hasText: 'chat.postMessage' });
    await hit.getByLabel('fault', { exact: true }).first().waitFor();
  });

  it('opens a failed test’s mark, then resets; another sandbox is unchanged', async () => {
    const { page, app } = journey();
    const other = await TestSandbox.make(app);
    await other.call('chat.postMessage', { channel: '#general', text: 'stays' });
    const box = await TestSandbox.make(app, { team: { name: 'Acme' } });
    await box.call('chat.postMessage', { channel: '#general', text: 'before the test' });
    await box.control('POST', '/timeline', { text: 'checkout.spec.ts' });
    await box.control('POST', '/timeline/mark', {});
    await box.call('chat.postMessage', { channel: '#general', text: 'during the test' });
    const path = `/w/${box.made.team.id}/inspect?since=mark`;
    await journey().enter(box, { to: path });
    await page.getByRole('row').filter({ hasText: 'chat.postMessage' }).first().waitFor();
    expect(page.url()).toBe(`${app.baseUrl}${path}`);
    await page.getByText('Since the last mark').first().waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'chat.postMessage' }).count()).toBe(1);

    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Chat' }).click();
    const during = page.getByRole('listitem').filter({ hasText: 'during the test' });
    await during.waitFor();
    await page.getByRole('button', { name: /^Sandbox: / }).click();
    await page.getByRole('menuitem', { name: 'Reset to baseline' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Reset' }).click();
    await expect.poll(() => during.count(), SOON).toBe(0);
    const composer = page.getByRole('textbox', { name: 'Message #general' });
    await composer.fill('from the start');
    await composer.press('Enter');
    const fresh = page.getByRole('listitem').filter({ hasText: 'from the start' });
    await fresh.waitFor();
    await expect.poll(() => page.getByText('sending…').count(), SOON).toBe(0);
    await journey().screenshot('10-after-reset');
    const history = async (of: TestSandbox): Promise<string> =>
      JSON.stringify((await of.call('conversations.history', { channel: await general(of) })).body.messages);
    const general = async (of: TestSandbox): Promise<string> =>
      ((await of.call('conversations.list', {})).body.channels as { id: string; is_general: boolean }[]).find(
        (one) => one.is_general,
      )?.id as string;
    expect(await history(box)).toContain('from the start');
    expect(await history(box)).not.toContain('the test');
    expect(await history(other)).toContain('stays');
  });
});
