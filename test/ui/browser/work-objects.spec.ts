import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { modalApp, type Json } from '../../support/modal-app.js';
import { closeReceivers, eventually } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';

const task = (more: Json = {}): Json => ({
  entity_type: 'slack#/entities/task',
  entity_payload: {
    attributes: { title: { text: 'Mend the pump' }, product_name: 'Tasks', display_id: 'T-1' },
    fields: { status: { value: 'open' }, due_date: { value: '2026-06-01', type: 'slack#/types/date' }, ...more },
    custom_fields: [{ key: 'team', label: 'Team', type: 'string', value: 'Plumbing' }],
    display_order: ['team', 'status'],
  },
  external_ref: { id: 'T-1' },
  url: 'https://tasks.example.com/T-1',
});

// docs/reference/web-ui.md#work-objects
describeInBrowser('work objects', (journey) => {
  closeReceivers();

  const setUp = async () => {
    const { app, page } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    const made = await modalApp(app, ws);
    await rest(app, 'POST /events/subscribe', {
      token: made.bot.token,
      body: { request_url: made.far.url, events: ['entity_details_requested'] },
    });
    await ws.join(ws.general, made.bot, made.person);
    const metadata = { entities: [task()] };
    await made.bot.call('chat.postMessage', { channel: ws.general.id, text: 'Here it is', metadata });
    await journey().signIn(ws, { as: made.person.userId });
    const card = page.getByRole('group', { name: 'Mend the pump' });
    await card.getByText('Task · Tasks · T-1').waitFor();
    const asked = async (count: number): Promise<string> => {
      const triggers = (): string[] =>
        made.far.received
          .map(({ body }) => (JSON.parse(body) as { event?: Json }).event)
          .flatMap((event) => (event?.['type'] === 'entity_details_requested' ? [event['trigger_id'] as string] : []));
      await eventually(() => triggers().length === count, `request ${count}`);
      return triggers().at(-1) as string;
    };
    const present = (args: Json) => made.bot.call('entity.presentDetails', args);
    const pane = page.getByRole('complementary', { name: 'Work object' });
    return { ...made, ws, page, card, pane, asked, present };
  };

  const looksRight = async (name: string): Promise<void> => {
    const { page } = journey();
    expect(await journey().axe()).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await journey().axe({ again: true })).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await journey().screenshot(name);
  };

  it('are cards, whose title opens what the app presents', async () => {
    const { person, card, pane, asked, present } = await setUp();
    expect(await card.locator('dt').allTextContents()).toEqual(['Team', 'Status', 'Due date']);
    await card.getByRole('button', { name: 'Mend the pump' }).click();
    await pane.getByText('Waiting for details…').waitFor();
    const details = {
      description: { value: 'It drips.', long: true },
      assignee: { type: 'slack#/types/user', user: { user_id: person.userId } },
      created_by: { type: 'slack#/types/user', user: { text: 'Paul' } },
      date_created: { value: 1767225600 },
      labels: { type: 'array', value: [{ value: 'wet' }, { value: 'loud' }] },
    };
    expect(await present({ trigger_id: await asked(1), metadata: task(details) })).toEqual({ ok: true });
    await pane.getByText('It drips.').waitFor();
    expect(await pane.getByText('Waiting for details…').count()).toBe(0);
    await pane.getByText('Paul').waitFor();
    await pane.getByText('loud').waitFor();
    expect(await pane.getByRole('link', { name: 'https://tasks.example.com/T-1' }).count()).toBe(1);
    await looksRight('work-object');
    await pane.getByRole('button', { name: 'Close' }).click();
    expect(await pane.count()).toBe(0);
  });

  it('say that details failed, and where to sign in', async () => {
    const { card, pane, asked, present } = await setUp();
    const open = card.getByRole('button', { name: 'Mend the pump' });
    await open.click();
    const error = { status: 'custom', custom_title: 'Closed', custom_message: 'Ask Paul for it.' };
    await present({ trigger_id: await asked(1), error });
    await pane.getByText('Ask Paul for it.').waitFor();
    await looksRight('work-object-failed');
    await pane.getByRole('button', { name: 'Close' }).click();
    await open.click();
    const signIn = { user_auth_required: true, user_auth_url: 'https://tasks.example.com/login' };
    await present({ trigger_id: await asked(2), ...signIn });
    const link = pane.getByRole('link', { name: 'Sign in to see the details' });
    expect(await link.getAttribute('href')).toBe('https://tasks.example.com/login');
  });
});
