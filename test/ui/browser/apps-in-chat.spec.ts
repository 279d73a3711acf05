import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { input, label, modal, modalApp } from '../../support/modal-app.js';
import { closeReceivers, type Received } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';

type Json = Record<string, any>; // eslint-disable-line typescript/no-explicit-any

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

const payloadOf = (request: Received): Json =>
  JSON.parse(new URLSearchParams(request.body).get('payload') ?? '{}') as Json;

const answerJson = (reply: ServerResponse, body: object): void => {
  reply.setHeader('content-type', 'application/json');
  reply.end(JSON.stringify(body));
};

const QUESTION = [
  { type: 'section', block_id: 'q', text: { type: 'mrkdwn', text: '*Deploy 42* to where?' } },
  {
    type: 'actions',
    block_id: 'choose',
    elements: [
      {
        type: 'static_select',
        action_id: 'place',
        placeholder: label('Environment'),
        options: [
          { text: label('Staging'), value: 'staging' },
          { text: label('Production'), value: 'production' },
        ],
      },
      { type: 'button', action_id: 'go', text: label('Approve'), style: 'primary', value: '42' },
      { type: 'button', action_id: 'form', text: label('Ask me') },
    ],
  },
];

const FORM = modal({
  callback_id: 'reason',
  title: label('Why now?'),
  submit: label('Send'),
  blocks: [input('why', { type: 'plain_text_input', action_id: 'text' })],
});

describeInBrowser('apps in the chat', (journey) => {
  closeReceivers();

  it('presses a button: the app gets the signed payload and opens a modal, and an error is shown when it is down', async () => {
    const { page, app } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    const admin = await ws.jwtClient({ user: ws.admin });
    await rest(app, 'PATCH /sandboxes/self', { token: admin.token, body: { journal: true } });
    const made = await modalApp(app, ws);
    await ws.join(ws.general, made.bot);
    const listed = (await rest(app, 'GET /apps', { token: admin.token })).body.apps as Json[];
    const secret = listed.find((one) => one['id'] === made.id)?.['credentials'].signing_secret as string;
    made.far.answer = (request, reply) => {
      const payload = payloadOf(request);
      const [action] = (payload['actions'] ?? []) as Json[];
      if (payload['type'] === 'view_submission') {
        const why = payload['view'].state.values.why.text.value as string;
        if (why === 'because') {
          answerJson(reply, { response_action: 'errors', errors: { why: 'A better reason, please.' } });
          return;
        }
        reply.end();
        void made.bot.call('chat.postMessage', { channel: ws.general.id, text: `They said: ${why}` });
        return;
      }
      reply.end();
      if (action?.['action_id'] === 'form')
        void made.bot.call('views.open', { trigger_id: payload['trigger_id'] as string, view: FORM });
      if (action?.['action_id'] === 'go')
        void fetch(payload['response_url'] as string, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            replace_original: true,
            text: `Going to ${payload['state'].values.choose.place.selected_option.value}`,
            blocks: [...QUESTION.slice(1), { type: 'context', elements: [label('approved by admin')] }],
          }),
        });
    };
    await journey().signIn(ws);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await made.bot.call('chat.postMessage', { channel: ws.general.id, text: 'Deploy 42 to where?', blocks: QUESTION });
    const message = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Approve' }) });

    await message.getByRole('button', { name: 'Environment' }).click();
    await page.getByRole('option', { name: 'Production' }).click();
    await made.far.until((received) => received.length === 1);
    expect(payloadOf(made.far.received[0] as Received)['actions']).toMatchObject([
      { type: 'static_select', action_id: 'place', block_id: 'choose', selected_option: { value: 'production' } },
    ]);
    await message.getByRole('button', { name: 'Approve' }).click();
    await message.getByText('approved by admin').waitFor();
    const request = made.far.received[1] as Received;
    expect(payloadOf(request)).toMatchObject({
      type: 'block_actions',
      user: { id: ws.admin.id },
      actions: [{ action_id: 'go', block_id: 'choose', value: '42' }],
      state: { values: { choose: { place: { selected_option: { value: 'production' } } } } },
    });
    const base = `v0:${request.headers['x-slack-request-timestamp'] as string}:${request.body}`;
    const signature = `v0=${createHmac('sha256', secret).update(base).digest('hex')}`;
    expect(request.headers['x-slack-signature']).toBe(signature);

    await message.getByRole('button', { name: 'Ask me' }).click();
    const dialog = page.getByRole('dialog', { name: 'Why now?' });
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('Please fill this in.').waitFor();
    await dialog.getByRole('textbox').fill('because');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('A better reason, please.').waitFor();
    expect(await journey().axe()).toEqual([]);
    await journey().screenshot('4-modal');
    await dialog.getByRole('textbox').fill('it is Monday');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('listitem').filter({ hasText: 'They said: it is Monday' }).waitFor();
    await expect.poll(() => dialog.count(), SOON).toBe(0);

    await made.far.close();
    await message.getByRole('button', { name: 'Approve' }).click();
    await message
      .getByRole('alert')
      .filter({ hasText: `${made.far.url} cannot be reached` })
      .waitFor();
    await journey().screenshot('4-app-down');
    await message.getByRole('button', { name: 'See request' }).click();
    const entry = page.getByRole('complementary', { name: 'Entry' });
    await entry.getByText(made.far.url).waitFor();
    expect(page.url()).toMatch(/\/inspect\/[^/?]+$/);
    await entry.getByText('block_actions').first().waitFor();
  });

  it('runs a slash command by keyboard; its answer is ephemeral, and its payload has the documented fields', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const made = await modalApp(app, ws);
    await rest(app, 'POST /commands', {
      token: made.bot.token,
      body: { command: '/deploy', url: made.far.url, description: 'Deploys', usage_hint: '[where]' },
    });
    made.far.answer = (_, reply) =>
      answerJson(reply, { response_type: 'ephemeral', text: 'Deploying to *production*…' });
    const alice = await ws.user({ name: 'alice', realName: 'Alice Doe' });
    const other = await journey().personOf(ws, { as: alice.id });
    await other.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await journey().signIn(ws);
    const composer = page.getByRole('textbox', { name: 'Message #general' });
    await composer.waitFor();
    await composer.pressSequentially('/dep');
    await page.getByRole('option', { name: '/deploy [where]' }).waitFor();
    await composer.press('Tab');
    expect(await composer.inputValue()).toBe('/deploy ');
    await composer.pressSequentially('prod');
    await composer.press('Enter');
    const answer = page.getByRole('listitem').filter({ hasText: 'Deploying to production…' });
    await answer.getByText('Only visible to you').waitFor();
    const sent = Object.fromEntries(new URLSearchParams(made.far.received[0]?.body));
    expect(sent).toMatchObject({
      command: '/deploy',
      text: 'prod',
      user_id: ws.admin.id,
      user_name: 'admin',
      team_id: ws.id,
      team_domain: ws.domain,
      channel_id: ws.general.id,
      channel_name: 'general',
      api_app_id: made.id,
    });
    expect(sent['trigger_id']).toMatch(/./);
    expect(sent['response_url']).toMatch(/^http/);
    await journey().screenshot('5-slash-command');

    // an ephemeral message survives a reload, is never shown to others, and disappears when it is dismissed
    await page.reload();
    await answer.getByText('Only visible to you').waitFor();
    await made.bot.call('chat.postMessage', { channel: ws.general.id, text: 'after it' });
    await other.getByRole('listitem').filter({ hasText: 'after it' }).waitFor();
    expect(await other.getByText('Deploying to').count()).toBe(0);
    await answer.getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => answer.count(), SOON).toBe(0);
  });

  it('shows an app’s Home and sends its clicks; a global shortcut opens its modal', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const made = await modalApp(app, ws, {
      features: {
        app_home: { home_tab_enabled: true },
        shortcuts: [{ name: 'New incident', type: 'global', callback_id: 'incident', description: 'Opens one' }],
      },
    });
    made.far.answer = (request, reply) => {
      reply.end();
      const payload = payloadOf(request);
      if (payload['type'] === 'shortcut')
        void made.bot.call('views.open', { trigger_id: payload['trigger_id'] as string, view: FORM });
      if (payload['type'] === 'block_actions') void publish('You pressed it.');
    };
    const publish = (text: string): Promise<unknown> =>
      made.bot.call('views.publish', {
        user_id: ws.admin.id,
        view: {
          type: 'home',
          blocks: [
            { type: 'header', text: label(text) },
            {
              type: 'actions',
              block_id: 'a',
              elements: [{ type: 'button', action_id: 'press', text: label('Press') }],
            },
          ],
        },
      });
    await publish('Good morning.');
    const im = await ws.direct({ id: ws.admin.id }, made.bot);
    await journey().signIn(ws, { to: `/w/${ws.id}/c/${im.id}` });
    await page.getByRole('tab', { name: 'Home' }).click();
    await page.getByText('Good morning.').waitFor();
    await page.getByRole('button', { name: 'Press' }).click();
    await page.getByText('You pressed it.').waitFor();
    expect(await journey().axe()).toEqual([]);
    await journey().screenshot('app-home');
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.getByRole('button', { name: 'Message options' }).click();
    await page.getByRole('menuitem', { name: 'New incident' }).click();
    await page.getByRole('dialog', { name: 'Why now?' }).waitFor();
  });
});
