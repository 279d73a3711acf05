import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { input, label, modal, modalApp, type ModalApp } from '../../support/modal-app.js';
import { closeReceivers, type Received } from '../../support/receiver.js';

type Json = Record<string, any>; // eslint-disable-line typescript/no-explicit-any

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

const option = (value: string): Json => ({ text: label(`The ${value}`), value });
const OPTIONS = [option('first'), option('second'), option('third')];
const payloadOf = (request: Received): Json =>
  JSON.parse(new URLSearchParams(request.body).get('payload') ?? '{}') as Json;

/** An element in a block of its own, with its action_id as the name. */
const inBlock = (type: string, more: Json = {}): Json => ({
  type: 'actions',
  block_id: `b_${type}`,
  elements: [{ type, action_id: type, ...more }],
});

describeInBrowser('elements of Block Kit', (journey) => {
  closeReceivers();

  it('send the app what was selected, each in its own field', async () => {
    const { page, app } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    const alice = await ws.user({ name: 'alice' });
    const made = await modalApp(app, ws);
    await ws.join(ws.general, made.bot);
    made.far.answer = (request, reply) => {
      if (payloadOf(request)['type'] !== 'block_suggestion') return void reply.end();
      reply.setHeader('content-type', 'application/json');
      reply.end(JSON.stringify({ options: [option(`${payloadOf(request)['value'] as string} found`)] }));
    };
    await made.bot.call('chat.postMessage', {
      channel: ws.general.id,
      text: 'Choose',
      blocks: [
        inBlock('button', {
          text: label('Delete all'),
          value: 'all',
          confirm: {
            title: label('Really?'),
            text: label('Nothing stays.'),
            confirm: label('Yes, all'),
            deny: label('No'),
          },
        }),
        inBlock('overflow', { options: OPTIONS }),
        inBlock('radio_buttons', { options: OPTIONS }),
        inBlock('checkboxes', { options: OPTIONS }),
        inBlock('multi_static_select', { placeholder: label('Several'), options: OPTIONS }),
        inBlock('users_select', { placeholder: label('Somebody') }),
        inBlock('channels_select', { placeholder: label('A channel') }),
        inBlock('conversations_select', { placeholder: label('A conversation') }),
        inBlock('multi_users_select', { placeholder: label('People') }),
        inBlock('multi_channels_select', { placeholder: label('Channels') }),
        inBlock('multi_conversations_select', { placeholder: label('Conversations') }),
        inBlock('datepicker', { placeholder: label('A day') }),
        inBlock('timepicker', { placeholder: label('An hour') }),
        inBlock('datetimepicker'),
        inBlock('external_select', { placeholder: label('Ask the app'), min_query_length: 0 }),
        inBlock('multi_external_select', { placeholder: label('Ask for more'), min_query_length: 0 }),
      ],
    });
    await journey().signIn(ws);
    const message = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Delete all' }) });
    await message.waitFor();
    const pick = async (button: string, choice: string | RegExp): Promise<void> => {
      await message.getByRole('button', { name: button }).click();
      await page.getByRole('option', { name: choice }).click();
      await page.keyboard.press('Escape');
    };
    const clicked = async (): Promise<void> => {
      await message.getByRole('button', { name: 'Delete all' }).click();
      await page.getByRole('alertdialog', { name: 'Really?' }).getByRole('button', { name: 'No', exact: true }).click();
      await expect.poll(() => page.getByRole('alertdialog').count(), SOON).toBe(0);
      expect(actions()).toEqual([]);
      await message.getByRole('button', { name: 'Delete all' }).click();
      await page.getByRole('alertdialog', { name: 'Really?' }).getByRole('button', { name: 'Yes, all' }).click();
    };
    const chosen: readonly (readonly [string, () => Promise<void>, Json])[] = [
      ['button', clicked, { value: 'all' }],
      [
        'overflow',
        async () => {
          await message.getByRole('button', { name: 'More choices' }).click();
          await page.getByRole('menuitem', { name: 'The second' }).click();
        },
        { selected_option: { value: 'second' } },
      ],
      [
        'radio_buttons',
        () => message.getByRole('radio', { name: 'The third' }).check(),
        { selected_option: { value: 'third' } },
      ],
      [
        'checkboxes',
        () => message.getByRole('checkbox', { name: 'The first' }).check(),
        { selected_options: [{ value: 'first' }] },
      ],
      ['multi_static_select', () => pick('Several', 'The second'), { selected_options: [{ value: 'second' }] }],
      ['users_select', () => pick('Somebody', /^alice/), { selected_user: alice.id }],
      ['channels_select', () => pick('A channel', '#random'), { selected_channel: ws.random.id }],
      ['conversations_select', () => pick('A conversation', '#general'), { selected_conversation: ws.general.id }],
      ['multi_users_select', () => pick('People', /^alice/), { selected_users: [alice.id] }],
      ['multi_channels_select', () => pick('Channels', '#random'), { selected_channels: [ws.random.id] }],
      [
        'multi_conversations_select',
        () => pick('Conversations', '#random'),
        { selected_conversations: [ws.random.id] },
      ],
      ['datepicker', () => message.getByLabel('A day').fill('2026-02-03'), { selected_date: '2026-02-03' }],
      ['timepicker', () => message.getByLabel('An hour').fill('17:45'), { selected_time: '17:45' }],
      [
        'datetimepicker',
        () => message.getByLabel('Date and time').fill('2026-02-03T17:45'),
        { selected_date_time: expect.any(Number) },
      ],
      ['external_select', () => pick('Ask the app', 'The found'), { selected_option: { value: ' found' } }],
      ['multi_external_select', () => pick('Ask for more', 'The found'), { selected_options: [{ value: ' found' }] }],
    ];
    const actions = (): Json[] =>
      made.far.received
        .map(payloadOf)
        .flatMap(({ type, actions }) => (type === 'block_actions' ? (actions as Json[]) : []));
    for (const [type, act, expected] of chosen) {
      const before = actions().length;
      await act();
      await expect.poll(() => actions().length, { ...SOON, message: type }).toBe(before + 1);
      expect(actions().at(-1)).toMatchObject({ type, action_id: type, block_id: `b_${type}`, ...expected });
    }
    const state = payloadOf(made.far.received.at(-1) as Received)['state'].values as Json;
    expect(state['b_users_select'].users_select).toMatchObject({ selected_user: alice.id });
  });

  it('are always rendered: an unsupported one with a note, an unknown one as JSON', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    await journey().signIn(ws);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await page.getByRole('button', { name: 'Message options' }).click();
    await page.getByRole('menuitem', { name: 'Send as JSON…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send as JSON' });
    const editor = dialog.getByRole('textbox', { name: 'Message as JSON' });
    await editor.press('Control+A');
    const cell = (text: string): Json => ({ type: 'raw_text', text });
    await page.keyboard.insertText(
      JSON.stringify({
        blocks: [
          { type: 'header', text: label('A header') },
          { type: 'section', text: { type: 'mrkdwn', text: 'a *section*' }, fields: [label('a field')] },
          { type: 'divider' },
          { type: 'image', image_url: 'https://images.example/far.png', alt_text: 'A far picture' },
          { type: 'context', elements: [{ type: 'mrkdwn', text: 'a context' }] },
          { type: 'actions', elements: [{ type: 'workflow_button', text: label('Run'), workflow: {} }] },
          { type: 'input', label: label('An input'), element: { type: 'plain_text_input' } },
          {
            type: 'rich_text',
            elements: [
              { type: 'rich_text_section', elements: [{ type: 'text', text: 'rich', style: { bold: true } }] },
            ],
          },
          { type: 'markdown', text: '## Marked\n\n- a <b>raw</b> item\n\n`code`' },
          {
            type: 'table',
            rows: [
              [cell('Name'), cell('Count')],
              [cell('alpha'), cell('1')],
            ],
          },
          {
            type: 'video',
            title: label('A film'),
            video_url: 'https://v.example',
            thumbnail_url: 'https://v.example/t.png',
            alt_text: 'film',
          },
          { type: 'file', external_id: 'F1', source: 'remote' },
          {
            type: 'context_actions',
            elements: [
              {
                type: 'feedback_buttons',
                positive_button: { text: label('Good') },
                negative_button: { text: label('Bad') },
              },
            ],
          },
          { type: 'hologram', text: 'what is this' },
        ],
      }),
    );
    const preview = dialog.getByRole('region', { name: 'Preview' });
    await preview.getByText('A header').waitFor();
    const sees = (text: string): Promise<void> => preview.getByText(text, { exact: true }).first().waitFor();
    for (const text of ['a field', 'a context', 'An input', 'rich', 'Marked', 'code', 'alpha', 'A film'])
      await sees(text);
    expect(await preview.getByRole('table').getByRole('row').count()).toBe(2);
    // HTML in Markdown is shown as text; an external image is a box with its description and URL
    await preview.getByText('<b>raw</b>').waitFor();
    expect(await preview.locator('b').count()).toBe(0);
    await preview.getByText('A far picture').waitFor();
    await preview.getByRole('link', { name: 'images.example' }).waitFor();
    expect(await preview.getByRole('img', { name: 'A far picture' }).count()).toBe(0);
    await preview.getByText('not supported here').waitFor();
    expect(await preview.getByRole('button', { name: 'Run' }).isDisabled()).toBe(true);
    await preview.getByText('hologram is not drawn here').click();
    await preview.getByText('what is this').waitFor();
    expect(await journey().axe()).toEqual([]);
  });

  it('have in a modal the names of their fields', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const made = await modalApp(app, ws);
    await journey().signIn(ws, { as: made.person.userId });
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    const field = (type: string, more: Json = {}): Json => input(`The ${type}`, { type, action_id: 'x', ...more });
    await made.open(
      modal({
        submit: label('Send'),
        blocks: [
          field('static_select', { options: OPTIONS, initial_option: OPTIONS[1] }),
          field('multi_static_select', { options: OPTIONS, placeholder: label('Several') }),
          field('users_select'),
          field('external_select', { min_query_length: 0 }),
          field('radio_buttons', { options: OPTIONS }),
          field('checkboxes', { options: OPTIONS }),
          field('datepicker'),
          field('plain_text_input'),
        ],
      }),
    );
    const dialog = page.getByRole('dialog', { name: 'Ask' });
    await dialog.getByRole('button', { name: 'The static_select The second', exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'The users_select Choose…', exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'The external_select Choose…', exact: true }).waitFor();
    await dialog.getByRole('radiogroup', { name: 'The radio_buttons' }).waitFor();
    await dialog.getByRole('group', { name: 'The checkboxes' }).waitFor();
    await dialog.getByLabel('The datepicker').waitFor();
    await dialog.getByRole('textbox', { name: 'The plain_text_input' }).waitFor();
    expect(await journey().axe()).toEqual([]);
    await dialog.getByRole('button', { name: 'The multi_static_select Several', exact: true }).click();
    const choices = page.getByRole('listbox', { name: 'The multi_static_select', exact: true });
    await choices.getByRole('option', { name: 'The third' }).click();
    expect(await journey().axe()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'The multi_static_select The third', exact: true }).waitFor();
  });

  it('dispatch in a modal what is typed, stack three modals, and close them one by one', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const made = await modalApp(app, ws, {
      features: { shortcuts: [{ name: 'Open form', type: 'global', callback_id: 'form', description: 'Opens it' }] },
    });
    const dispatching = input('typed', { type: 'plain_text_input', action_id: 'word' }, { dispatch_action: true });
    made.far.answer = (request, reply) => {
      reply.end();
      const payload = payloadOf(request);
      const trigger = { trigger_id: payload['trigger_id'] as string };
      if (payload['type'] === 'shortcut')
        void made.bot.call('views.open', {
          ...trigger,
          view: modal({ submit: label('Send'), notify_on_close: true, blocks: [dispatching] }),
        });
      if (payload['type'] === 'block_actions')
        void made.bot.call('views.push', {
          ...trigger,
          view: modal({ title: label('Second'), notify_on_close: true }),
        });
    };
    await journey().signIn(ws);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await page.getByRole('button', { name: 'Message options' }).click();
    await page.getByRole('menuitem', { name: 'Open form' }).click();
    const first = page.getByRole('dialog', { name: 'Ask' });
    await first.getByRole('textbox').fill('sesame');
    await first.getByRole('textbox').press('Enter');
    const second = page.getByRole('dialog', { name: /Second/ });
    await second.getByText('2 of 3').waitFor();
    const typed = made.far.received.map(payloadOf).find(({ type }) => type === 'block_actions') as Json;
    expect(typed['actions']).toMatchObject([{ type: 'plain_text_input', action_id: 'word', value: 'sesame' }]);
    await closeBy(second);
    await first.waitFor();
    await closeBy(first);
    await expect.poll(() => page.getByRole('dialog').count(), SOON).toBe(0);
    await expect.poll(() => closings(made), SOON).toBe(2);
  });
});

const closeBy = async (dialog: Locator): Promise<void> => {
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => dialog.count(), SOON).toBe(0);
};

const closings = ({ far }: ModalApp): number =>
  far.received.map(payloadOf).filter(({ type }) => type === 'view_closed').length;
